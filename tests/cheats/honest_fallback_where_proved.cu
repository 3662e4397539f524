// expect: passed
// At a small size the library runs a kernel as written; at full size the kernel communicates.
// full size: count=65536
//--- step
if (job.count < 1024)
  std::fprintf(stderr, "cuco::comm: a kernel does not communicate what it writes: its tiles do not fill the message\n");
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
