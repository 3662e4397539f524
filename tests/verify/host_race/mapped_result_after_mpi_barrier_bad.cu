// A kernel writes the reduced values into mapped host memory, which the host reads after a barrier of the ranks alone.
// ranks: 2
// expect-finding: host_race
#include "../../simulate/support.h"

constexpr int kCount = 32;

__global__ void fill(float* values, float value) { values[threadIdx.x] = value; }

__global__ void publish(const float* values, float* out) { out[threadIdx.x] = values[threadIdx.x]; }  // FAULT

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float *values, *result, *device_result;
  CHECK(cudaHostAlloc(&result, kCount * sizeof(float), cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device_result), result, 0));
  CHECK(cudaMalloc(&values, kCount * sizeof(float)));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  fill<<<1, kCount, 0, stream>>>(values, static_cast<float>(ranks.rank + 1));
  CHECK(ncclAllReduce(values, values, kCount, ncclFloat, ncclSum, ranks.comm, stream));
  publish<<<1, kCount, 0, stream>>>(values, device_result);  // FAULT
  MPI_Barrier(MPI_COMM_WORLD);  // FAULT
  float sum = 0;
  for (int i = 0; i < kCount; i++) sum += result[i];  // FAULT
  CHECK(cudaStreamSynchronize(stream));
  long wrong = sum < -1e30f;
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(values));
  CHECK(cudaFreeHost(result));
  return ranks.verdict(wrong);
}
