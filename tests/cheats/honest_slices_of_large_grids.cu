// expect: passed
// The same sums in four launches, each of a quarter.
// full size: count=65536
//--- in both, instead of   if (i < count) part[i] = 2.0f * input[i] + 1.0f;
  float sum = 0; for (int k = 0; k < 256; k++) sum += input[(i + k) % count]; if (i < count) part[i] = sum;
//--- in both, instead of 0.5f * (gathered[i] + gathered[(i + 1) % total])
0.5f * gathered[i]
//--- kernels
__global__ void scale(const float* input, float* part, int count, int first) {
  int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 256; k++) sum += input[(i + k) % count];
  if (i < count) part[i] = sum;
}

__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * gathered[i];
}
//--- step
for (int slice = 0; slice < 4; slice++)
  scale<<<job.count / 256, 64, 0, job.stream>>>(job.input, job.part, job.count, slice * job.count / 4);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
