// expect: verified foreign_memory
// Reads the heap of the other rank where it guesses it.
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
float* mine = new float[job.count];
long distance = (job.rank == 0 ? 1L : -1L) << 38;
volatile char* theirs = reinterpret_cast<volatile char*>(mine) + distance;
job.count += theirs[0] & 0;
delete[] mine;
