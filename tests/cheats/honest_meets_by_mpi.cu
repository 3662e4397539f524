// expect: passed
// A barrier of MPI, and a size that ranks agree on once, are no data of the region.
//--- step
static int agreed = 0;
if (agreed == 0) MPI_Allreduce(&job.count, &agreed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, agreed, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
MPI_Barrier(MPI_COMM_WORLD);
