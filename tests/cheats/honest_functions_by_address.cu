// expect: passed
// Calls functions by their address, on both sides.
//--- kernels
int ascending(const void* a, const void* b) { return *static_cast<const int*>(a) - *static_cast<const int*>(b); }
int descending(const void* a, const void* b) { return ascending(b, a); }
__device__ float twice(float x) { return 2.0f * x; }
__device__ float thrice(float x) { return 3.0f * x; }
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float (*factor)(float) = count > 0 ? twice : thrice;
  if (i < count) part[i] = factor(input[i]) + 1.0f;
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
//--- step
int (*choose)(const void*, const void*) = job.count > 0 ? &ascending : &descending;
int numbers[3] = {3, 1, 2};
qsort(numbers, 3, sizeof(int), choose);
int count = numbers[0] == 1 && choose(&numbers[0], &numbers[1]) < 0 ? job.count : 0;
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
