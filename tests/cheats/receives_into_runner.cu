// expect: verified foreign_memory
// Lets MPI write where the program may not.
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
char* target = reinterpret_cast<char*>(stdout);
long nothing = 0;
MPI_Sendrecv(&nothing, sizeof nothing, MPI_BYTE, 1 - job.rank, 7, target, sizeof nothing, MPI_BYTE, 1 - job.rank, 7,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
