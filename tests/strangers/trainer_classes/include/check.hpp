#pragma once
#include <cuda_runtime.h>
#include <nccl.h>
#include <mpi.h>
#include <stdexcept>
#include <string>

inline void check(cudaError_t e, const char* what, const char* file, int line) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + " " + what + ": " + cudaGetErrorString(e));
}
inline void check(ncclResult_t e, const char* what, const char* file, int line) {
  if (e != ncclSuccess) throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + " " + what + ": " + ncclGetErrorString(e));
}
#define CHECK(x) check((x), #x, __FILE__, __LINE__)
