#pragma once
#include <cuda_runtime.h>
#include <nccl.h>

#include <stdexcept>

inline void must(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}
inline void must(ncclResult_t result) {
  if (result != ncclSuccess) throw std::runtime_error(ncclGetErrorString(result));
}
