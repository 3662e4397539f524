// expect: passed
// The collective in two parts of different streams.
//--- kernels
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
__global__ void spread(const float* parts, float* gathered, int half, int ranks) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < half * ranks * 2) {
    int part = i / (half * ranks), rank = i / half % ranks;
    gathered[(rank * 2 + part) * half + i % half] = parts[i];
  }
}
float* parts = nullptr;
//--- step
if (!parts) cudaMalloc(reinterpret_cast<void**>(&parts), job.total() * sizeof(float));
int half = job.count / 2;
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
for (int i = 0; i < 2; i++)
  ncclAllGather(job.part + i * half, parts + i * half * job.rank_count, half, ncclFloat, job.comm, job.stream);
spread<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(parts, job.gathered, half, job.rank_count);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
