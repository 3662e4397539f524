// expect: passed
// Compares handles, keeps them in containers and prints them.
//--- kernels
#include <vector>
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
//--- step
std::vector<cudaStream_t> streams = {job.stream, nullptr};
std::vector<std::pair<const void*, int>> known = {{job.stream, 1}, {job.comm, 2}};
cudaEvent_t event = nullptr;
cudaEventCreate(&event);
if (streams[0] == streams[1] || event == nullptr || known.size() != 2) return;
scale<<<(job.count + 63) / 64, 64, 0, streams[0]>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, streams[0]);
smooth<<<(job.total() + 63) / 64, 64, 0, streams[0]>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(streams[0]);
if (known[0].first != job.stream) printf("%p\n", static_cast<void*>(job.stream));
cudaEventDestroy(event);
