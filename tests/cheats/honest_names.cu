// expect: passed
// Words that only look like calls.
//--- step
int time = 64, thread = 64, signal = 0, open = 0;
scale<<<(job.count + 63 + signal + open) / time, thread, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / time, thread, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
