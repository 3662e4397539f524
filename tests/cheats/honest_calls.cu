// expect: passed
// Work behind a virtual call and behind one that is not inlined.
//--- kernels
struct Step {
  virtual __device__ float apply(const float* from, int i) const = 0;
};
struct Scaling : Step {
  __device__ float apply(const float* from, int i) const override { return 2.0f * from[i] + 1.0f; }
};
__device__ __noinline__ float mean(const float* from, int i, int next) { return 0.5f * (from[i] + from[next]); }
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Scaling scaling;
  const Step& step = scaling;
  if (i < count) part[i] = step.apply(input, i);
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = mean(gathered, i, (i + 1) % total);
}
