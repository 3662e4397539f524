// expect: verified foreign_memory
// Turns the buffer of stdout into somebody else's memory.
//--- step
volatile long* words = reinterpret_cast<volatile long*>(stdout);
words[4] = words[5] = reinterpret_cast<long>(&job);
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
