// expect: passed
// The same collective, on two nodes.
// nodes: 2
//--- step
ncclGroupStart();
ncclGroupEnd();
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
