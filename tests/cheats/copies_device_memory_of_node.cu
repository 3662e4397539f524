// expect: verified unwritten_read
// A copy from device memory of another node, which is no address here.
// nodes: 2
//--- step
float* all[2];
MPI_Allgather(&job.input, sizeof job.input, MPI_BYTE, all, sizeof job.input, MPI_BYTE, MPI_COMM_WORLD);
for (int rank = 0; rank < 2; rank++)
  cudaMemcpyAsync(job.gathered + rank * job.count, all[rank], job.count * sizeof(float), cudaMemcpyDefault, job.stream);
scale<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.gathered, job.total());
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
MPI_Barrier(MPI_COMM_WORLD);
