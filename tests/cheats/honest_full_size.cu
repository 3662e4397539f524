// expect: passed
// Larger blocks, at full size too.
// full size: count=65536
//--- step
scale<<<(job.count + 127) / 128, 128, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 127) / 128, 128, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
