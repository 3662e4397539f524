// expect: verified foreign_memory
// Writes what the C library keeps beside stdout, its arenas among it.
//--- step
volatile long* words = reinterpret_cast<volatile long*>(stdout);
words[-100] = 0;
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
