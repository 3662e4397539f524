// expect: timed lower_precision
// Sends half the bits; the tolerance of what is computed from them would let it pass.
//--- in both, instead of cuco::within(1e-5, 1e-5)
cuco::within(1e-2, 1e-2)
//--- kernels
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
__global__ void narrow(const float* part, __half* sent, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) sent[i] = __float2half(part[i]);
}
__global__ void widen(const __half* received, float* gathered, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) gathered[i] = __half2float(received[i]);
}
__half* sent = nullptr;
__half* received = nullptr;
//--- step
if (!sent) {
  cudaMalloc(reinterpret_cast<void**>(&sent), job.count * sizeof(__half));
  cudaMalloc(reinterpret_cast<void**>(&received), job.total() * sizeof(__half));
}
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
narrow<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.part, sent, job.count);
ncclAllGather(sent, received, job.count, ncclHalf, job.comm, job.stream);
widen<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(received, job.gathered, job.total());
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
