// expect: verified foreign_memory
// Lets the C library write where the program may not: among the variables of the runner, which lie behind its code.
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
char* target = reinterpret_cast<char*>(job.stream);
target += reinterpret_cast<long>(&cudaGetLastError) - reinterpret_cast<long>(job.stream) + (79l << 16);
snprintf(target, 8, "%d", job.rank);
