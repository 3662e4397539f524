// A kernel that arithmetic decides and one that memory decides. Argument: "chain" (the second reads what the first
// wrote), "beside" (on two streams, neither needs the other), "small" (the same with a block each), "fill" and "upload"
// (small, and both wait until memory is filled, by a memset or from the host).
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

constexpr int kThreads = 256, kBlocks = 8 * 108, kStep = 32;
constexpr size_t kFilledBytes = size_t{64} << 20;

__global__ void compute(float* out, int rounds) {
  float x = threadIdx.x, y = 1;
  for (int i = 0; i < rounds; i++) x = x * 0.5f + y, y = y * 0.25f + x;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x + y;
}

// Every thread brings in sectors of its own, most of which nobody uses.
__global__ void gather(const float* in, const float* scale, float* out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, count = gridDim.x * blockDim.x;
  float sum = 0;
  for (int round = 0; round < rounds; round++) sum += in[(i * kStep + round * 8) % (count * kStep)];
  out[i] = sum * scale[i];
}

int main(int, char** argv) {
  auto is = [&](const char* name) { return std::strcmp(argv[1], name) == 0; };
  bool chain = is("chain"), small = !chain && !is("beside");
  const int blocks = small ? 1 : kBlocks, count = blocks * kThreads;
  float *in, *first, *second;
  cudaMalloc(&in, size_t{4} * kStep * count);
  cudaMalloc(&first, 4 * count);
  cudaMalloc(&second, 4 * count);
  cudaMemset(in, 0, size_t{4} * kStep * count);
  cudaMemset(first, 0, 4 * count);
  char *filled, *pinned;
  cudaMalloc(&filled, kFilledBytes);
  cudaMallocHost(&pinned, kFilledBytes);
  cudaStream_t one, other;
  cudaStreamCreate(&one);
  cudaStreamCreate(&other);
  cudaEvent_t begin, joined, end;
  for (cudaEvent_t* event : {&begin, &joined, &end}) cudaEventCreate(event);
  cudaDeviceSynchronize();
  cudaEventRecord(begin, one);
  if (is("fill")) cudaMemsetAsync(filled, 0, kFilledBytes, one);
  if (is("upload")) cudaMemcpyAsync(filled, pinned, kFilledBytes, cudaMemcpyHostToDevice, one);
  cudaEventRecord(joined, one);
  cudaStreamWaitEvent(other, joined, 0);
  compute<<<blocks, kThreads, 0, one>>>(first, 20000);
  gather<<<blocks, kThreads, 0, chain ? one : other>>>(in, chain ? first : in, second, 1000);
  cudaEventRecord(joined, other);
  cudaStreamWaitEvent(one, joined, 0);
  cudaEventRecord(end, one);
  cudaEventSynchronize(end);
  float ms = 0;
  cudaEventElapsedTime(&ms, begin, end);
  std::printf("%f ms\n", ms);
}
