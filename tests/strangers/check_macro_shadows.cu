// stranger: the check macro declares the variable that its argument means: every collective gets one communicator's rank 0
// ranks: 2
// expect-finding: collective_mismatch
// expect-output: variable 'r' is uninitialized when used within its own initialization
#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                        \
  do {                                     \
    ncclResult_t r = (call);               \
    if (r != ncclSuccess) {                \
      printf("%s\n", ncclGetErrorString(r)); \
      exit(1);                             \
    }                                      \
  } while (0)

int main() {
  int count = 0;
  cudaGetDeviceCount(&count);
  std::vector<ncclComm_t> comms(count);
  std::vector<cudaStream_t> streams(count);
  std::vector<float*> data(count);
  CHECK(ncclCommInitAll(comms.data(), count, nullptr));
  for (int r = 0; r < count; r++) {
    cudaSetDevice(r);
    cudaStreamCreate(&streams[r]);
    cudaMalloc(&data[r], 64 * sizeof(float));
    cudaMemset(data[r], 0, 64 * sizeof(float));
  }
  CHECK(ncclGroupStart());
  for (int r = 0; r < count; r++) CHECK(ncclAllReduce(data[r], data[r], 64, ncclFloat, ncclSum, comms[r], streams[r]));
  CHECK(ncclGroupEnd());
  for (int r = 0; r < count; r++) {
    cudaSetDevice(r);
    cudaStreamSynchronize(streams[r]);
    cudaFree(data[r]);
    CHECK(ncclCommDestroy(comms[r]));
  }
}
