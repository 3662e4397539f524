// expect: verified host_channel
// Each message by MPI is no larger than those of set-up.
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
float own[1024], theirs[1024];
cudaMemcpyAsync(own, job.part, job.count * sizeof(float), cudaMemcpyDeviceToHost, job.stream);
cudaMemcpyAsync(job.gathered + job.rank * job.count, job.part, job.count * sizeof(float), cudaMemcpyDeviceToDevice,
                job.stream);
cudaStreamSynchronize(job.stream);
int peer = 1 - job.rank;
for (int first = 0; first < job.count; first += 16)
  MPI_Sendrecv(own + first, 16, MPI_FLOAT, peer, 0, theirs + first, 16, MPI_FLOAT, peer, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
cudaMemcpyAsync(job.gathered + peer * job.count, theirs, job.count * sizeof(float), cudaMemcpyHostToDevice, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
