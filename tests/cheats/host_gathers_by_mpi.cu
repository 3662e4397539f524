// expect: verified host_channel
// The host scales its part and gathers the parts; the GPU only smooths them.
//--- step
float own[1024], all[2048];
cudaMemcpy(own, job.input, job.count * sizeof(float), cudaMemcpyDeviceToHost);
for (int i = 0; i < job.count; i++) own[i] = 2.0f * own[i] + 1.0f;
MPI_Allgather(own, job.count, MPI_FLOAT, all, job.count, MPI_FLOAT, MPI_COMM_WORLD);
cudaMemcpy(job.gathered, all, job.total() * sizeof(float), cudaMemcpyHostToDevice);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
