// expect: verified foreign_memory
// Follows the stream's handle into the runner.
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
volatile long* inside = reinterpret_cast<volatile long*>(job.stream);
for (int i = 0; i < 64; i++)
  if (inside[i] > 1000000) inside[i] = 0;
