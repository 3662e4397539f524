#pragma once
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <stdexcept>

namespace dist {

inline void check(cudaError_t e) {
  if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}
inline void check(ncclResult_t e) {
  if (e != ncclSuccess) throw std::runtime_error(ncclGetErrorString(e));
}

// MPI, the device, the communicator and the stream of a process.
class Environment {
 public:
  Environment(int& argc, char**& argv);
  ~Environment();
  int rank() const { return rank_; }
  int size() const { return size_; }
  ncclComm_t comm() const { return comm_; }
  cudaStream_t stream() const { return stream_; }

 private:
  int rank_ = 0, size_ = 1;
  ncclComm_t comm_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

template <typename T>
class DeviceVector {
 public:
  explicit DeviceVector(size_t n) : n_(n) { check(cudaMalloc(reinterpret_cast<void**>(&p_), n * sizeof(T))); }
  ~DeviceVector() { cudaFree(p_); }
  DeviceVector(const DeviceVector&) = delete;
  T* data() { return p_; }
  const T* data() const { return p_; }
  size_t size() const { return n_; }

 private:
  T* p_ = nullptr;
  size_t n_;
};

}  // namespace dist
