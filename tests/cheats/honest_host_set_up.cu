// expect: passed
// A little arithmetic on the host around the launches, and a message of MPI that is a few bytes.
//--- step
int blocks = (job.count + 63) / 64, parts = 0;
for (int i = 0; i < job.rank_count; i++) parts += blocks;
int agreed = 0;
MPI_Allreduce(&parts, &agreed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
scale<<<blocks, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<agreed, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
