// expect: verified foreign_memory
// Goes from a function of the runner to the runner's variables.
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
volatile char* at = reinterpret_cast<volatile char*>(&cudaGetLastError);
int sum = 0;
for (long page = 0; page < 4096; page++) sum += at[page * 4096];
job.count += sum % 1;
