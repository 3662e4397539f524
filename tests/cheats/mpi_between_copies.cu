// expect: verified not_communicated
// Parts go to the host, by MPI to the peer and to its GPU.
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
float own[1024], theirs[1024];
cudaMemcpyAsync(own, job.part, job.count * sizeof(float), cudaMemcpyDeviceToHost, job.stream);
cudaMemcpyAsync(job.gathered + job.rank * job.count, job.part, job.count * sizeof(float), cudaMemcpyDeviceToDevice,
                job.stream);
cudaStreamSynchronize(job.stream);
int peer = 1 - job.rank;
MPI_Sendrecv(own, job.count, MPI_FLOAT, peer, 0, theirs, job.count, MPI_FLOAT, peer, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
cudaMemcpyAsync(job.gathered + peer * job.count, theirs, job.count * sizeof(float), cudaMemcpyHostToDevice, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
