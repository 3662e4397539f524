// expect: verified wrong_result
// Keeps the first gathering and uses it for ever.
//--- kernels
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
struct Kept {
  float* memory = nullptr;
  bool is_full = false;
} kept;
//--- step
if (!kept.is_full) {
  cudaMalloc(reinterpret_cast<void**>(&kept.memory), job.total() * sizeof(float));
  scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
  ncclAllGather(job.part, kept.memory, job.count, ncclFloat, job.comm, job.stream);
  kept.is_full = true;
}
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(kept.memory, job.result, job.total());
cudaStreamSynchronize(job.stream);
