// Buffers, stream and communicator owned by objects: allocation in constructors, release in destructors.
// expect-count: 2 buffer engine.
// expect: buffer engine.local_.data_ device bytes=1048576 frees=1
// expect: buffer engine.global_.data_ device bytes=1048576 frees=1
// expect: producer s1 histogram engine.local_.data_
// expect: consumer s1 normalise engine.global_.data_
// expect: operation ncclAllReduce in Engine::step loop=round=0;< 3;+1
// expect: kernel histogram bins:read_write
// expect: convertible s1 yes
// expect-not: external
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void histogram(unsigned* bins, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[(i * 2654435761u) % count], 1u);
}

__global__ void normalise(unsigned* bins, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) bins[i] /= 2;
}

template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) { cudaMalloc(&data_, count * sizeof(T)); }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  T* get() { return data_; }
  size_t size() const { return count_; }

 private:
  T* data_ = nullptr;
  size_t count_;
};

class Engine {
 public:
  Engine(int rank, int ranks, size_t bins) : local_(bins), global_(bins) {
    ncclUniqueId id;
    ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
    ncclCommInitRank(&comm_, ranks, id, rank);
    cudaStreamCreate(&stream_);
  }
  ~Engine() {
    cudaStreamDestroy(stream_);
    ncclCommDestroy(comm_);
  }

  void step() {
    histogram<<<1024, 256, 0, stream_>>>(local_.get(), local_.size());
    ncclAllReduce(local_.get(), global_.get(), local_.size(), ncclUint32, ncclSum, comm_, stream_);
    normalise<<<1024, 256, 0, stream_>>>(global_.get(), global_.size());
  }
  void wait() const { cudaStreamSynchronize(stream_); }

 private:
  DeviceArray<unsigned> local_, global_;
  ncclComm_t comm_;
  cudaStream_t stream_;
};

int main(int, char** argv) {
  Engine engine(atoi(argv[1]), atoi(argv[2]), 256 * 1024);
  for (int round = 0; round < 3; ++round) engine.step();
  engine.wait();
}
