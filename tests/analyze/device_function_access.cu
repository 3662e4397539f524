// What a kernel does to its pointers is decided in the __device__ functions it calls: atomics, references, reads only.
// expect: kernel scatter_add keys:read values:read table:read_write overflow:read_write unused:none
// expect: kernel lookup keys:read table:read out:write
// expect: producer s1 scatter_add table
// expect: consumer s1 lookup table
// expect-not: producer s1 scatter_add values
// expect-not: consumer s1 lookup keys
// expect: overlap s1 cudaMemsetAsync
// expect-count: 2 kernel
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

constexpr int kSlots = 1 << 14;

__device__ int slot_of(const int* keys, int i) { return keys[i] & (kSlots - 1); }

__device__ void raise(int& counter) { atomicAdd(&counter, 1); }

template <typename T>
__device__ __forceinline__ void add_to(T* cell, T value) {
  atomicAdd(cell, value);
}

__global__ void scatter_add(const int* keys, const float* values, float* table, int* overflow, float* unused, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return raise(*overflow);
  add_to(&table[slot_of(keys, i)], values[i]);
}

__global__ void lookup(const int* keys, const float* table, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __ldg(table + slot_of(keys, i));
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int n = 1 << 18;
  int *keys, *overflow;
  float *values, *table, *out, *log;
  cudaMalloc(&keys, n * sizeof(int));
  cudaMalloc(&overflow, sizeof(int));
  cudaMalloc(&values, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMalloc(&log, n * sizeof(float));
  cudaMalloc(&table, kSlots * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  scatter_add<<<n / 256, 256, 0, stream>>>(keys, values, table, overflow, log, n);
  ncclAllReduce(table, table, kSlots, ncclFloat, ncclSum, comm, stream);
  cudaMemsetAsync(log, 0, n * sizeof(float), stream);
  lookup<<<n / 256, 256, 0, stream>>>(keys, table, out, n);
  cudaStreamSynchronize(stream);
}
