#pragma once
#include <cuda_runtime.h>
#include <nccl.h>

#include <stdexcept>
#include <vector>

namespace dist {

inline void check(ncclResult_t result) {
  if (result != ncclSuccess) throw std::runtime_error(ncclGetErrorString(result));
}

template <typename T>
struct TypeOf;
template <>
struct TypeOf<float> {
  static constexpr ncclDataType_t value = ncclFloat;
};
template <>
struct TypeOf<int> {
  static constexpr ncclDataType_t value = ncclInt;
};

class Communicator {
 public:
  Communicator(int size, ncclUniqueId id, int rank) { check(ncclCommInitRank(&comm_, size, id, rank)); }
  ~Communicator() { ncclCommDestroy(comm_); }

  template <typename T>
  void gather(const T* from, T* to, size_t count, cudaStream_t stream) {
    check(ncclAllGather(from, to, count, TypeOf<T>::value, comm_, stream));
  }
  template <typename T>
  void sum(T* data, size_t count, cudaStream_t stream) {
    check(ncclAllReduce(data, data, count, TypeOf<T>::value, ncclSum, comm_, stream));
  }

 private:
  ncclComm_t comm_;
};

template <typename T>
class Buffer {
 public:
  explicit Buffer(size_t count) { cudaMalloc(&data_, count * sizeof(T)); }
  ~Buffer() { cudaFree(data_); }
  T* data() { return data_; }

 private:
  T* data_ = nullptr;
};

}  // namespace dist
