// expect: passed
// Looks how long its own work takes, within a call, by the device's clock and by events.
//--- kernels
__device__ long long longest;

__global__ void scale(const float* input, float* part, int count) {
  long long begin = clock64();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
  if (i == 0) longest = clock64() - begin;
}

__global__ void smooth(const float* gathered, float* result, int total, bool is_known) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool is_plausible = is_known && longest >= 0 && longest < 1000000;
  if (i < total && is_plausible) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}

struct Events {
  cudaEvent_t begin = nullptr, end = nullptr;
} events;
//--- step
if (events.begin == nullptr) {
  cudaEventCreate(&events.begin);
  cudaEventCreate(&events.end);
}
cudaEventRecord(events.begin, job.stream);
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
cudaEventRecord(events.end, job.stream);
cudaEventSynchronize(events.end);
float ms = -1;
cudaEventElapsedTime(&ms, events.begin, events.end);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total(), ms > 0 && ms < 1);
cudaStreamSynchronize(job.stream);
