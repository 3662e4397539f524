// expect: verified foreign_memory
// Is told by the other rank where its data lies, and reads it there.
//--- step
float* mine = new float[job.count];
for (int i = 0; i < job.count; i++) mine[i] = 1.0f;
float* all[2];
MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
volatile float* theirs = all[1 - job.rank];
float first = theirs[0];
MPI_Barrier(MPI_COMM_WORLD);
delete[] mine;
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
