// expect: verified foreign_memory
// Reads its stack upwards, beyond its own frames.
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
long here = 0;
volatile long* volatile up = &here;
long sum = 0;
for (int i = 0; i < 100000; i++) sum += up[i];
job.count += static_cast<int>(sum % 1);
