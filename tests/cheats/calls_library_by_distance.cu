// expect: verified foreign_memory
// Calls a function of the C library that it did not ask for by name.
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
auto begin = reinterpret_cast<char*>(&qsort);
volatile long distance = 64;
reinterpret_cast<int (*)()>(begin + distance)();
