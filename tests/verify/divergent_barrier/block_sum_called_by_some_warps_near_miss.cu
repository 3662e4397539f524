// All warps call the helper that adds up over the block; those without rows contribute zero.
// ranks: 3
// expect: no findings
#include <nccl.h>

#include <cstdio>
#include <vector>

constexpr int kDevices = 3;
constexpr int kThreads = 128;
constexpr int kColumns = 32;
constexpr int kRows = 3;

// The sum of `value` over all threads of the block, for all of them.
template <typename T>
__device__ T block_sum(T value) {
  __shared__ T partial[kThreads / 32];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  T sum = 0;
  for (int warp = 0; warp < kThreads / 32; warp++) sum += partial[warp];
  return sum;
}

__global__ void sum_rows(const float* matrix, float* result, float* means) {
  int row = threadIdx.x / 32;
  float sum = 0;
  sum = block_sum(row < kRows ? matrix[row * kColumns + threadIdx.x % 32] : 0.0f);
  if (threadIdx.x == 0) *result = sum;
  __syncthreads();
  if (threadIdx.x < kColumns) means[threadIdx.x] = *result / (kRows * kColumns);
}

struct Device {
  float *matrix, *result, *means;
};

Device start_device(int index) {
  Device device;
  cudaSetDevice(index);
  cudaMalloc(&device.matrix, kRows * kColumns * sizeof(float));
  cudaMalloc(&device.result, sizeof(float));
  cudaMalloc(&device.means, kColumns * sizeof(float));
  std::vector<float> values(kRows * kColumns, static_cast<float>(index + 1));
  cudaMemcpy(device.matrix, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  sum_rows<<<1, kThreads>>>(device.matrix, device.result, device.means);
  return device;
}

int main() {
  ncclComm_t comms[kDevices];
  ncclCommInitAll(comms, kDevices, nullptr);
  Device devices[kDevices];
  for (int index = 0; index < kDevices; index++) devices[index] = start_device(index);
  ncclGroupStart();
  for (int index = 0; index < kDevices; index++)
    ncclAllReduce(devices[index].means, devices[index].means, kColumns, ncclFloat, ncclSum, comms[index], nullptr);
  ncclGroupEnd();
  int wrong = 0;
  for (int index = 0; index < kDevices; index++) {
    std::vector<float> got(kColumns);
    cudaSetDevice(index);
    cudaMemcpy(got.data(), devices[index].means, kColumns * sizeof(float), cudaMemcpyDeviceToHost);
    for (float value : got) wrong += value != 6.0f;
    cudaFree(devices[index].means);
    cudaFree(devices[index].result);
    cudaFree(devices[index].matrix);
    ncclCommDestroy(comms[index]);
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
