// expect: passed, not faster than the baseline
// Lets a function of the stream, on the host, do what the second kernel does.
// own parent: only the price and the judge stand against it
// parameter count=32768
//--- kernels
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}
#include <vector>
struct Smoothing {
  std::vector<float> from, to;
};
inline void smooth_on_host(void* data) {
  auto& smoothing = *static_cast<Smoothing*>(data);
  size_t total = smoothing.from.size();
  for (size_t i = 0; i < total; i++) smoothing.to[i] = 0.5f * (smoothing.from[i] + smoothing.from[(i + 1) % total]);
}
//--- step
Smoothing smoothing{std::vector<float>(job.total()), std::vector<float>(job.total())};
size_t bytes = job.total() * sizeof(float);
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
cudaMemcpyAsync(smoothing.from.data(), job.gathered, bytes, cudaMemcpyDeviceToHost, job.stream);
cudaLaunchHostFunc(job.stream, smooth_on_host, &smoothing);
cudaStreamSynchronize(job.stream);
cudaMemcpyAsync(job.result, smoothing.to.data(), bytes, cudaMemcpyHostToDevice, job.stream);
cudaStreamSynchronize(job.stream);
