// The buffer is cleared by its number of elements instead of its bytes; the rest is added to as it was.
// ranks: 2
// expect-finding: unwritten_read
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <vector>

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) { cudaMalloc(&data_, count * sizeof(T)); }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  void clear() { cudaMemset(data_, 0, count_); }  // FAULT
  T* data() { return data_; }
  std::vector<T> fetch() const {
    std::vector<T> host(count_);
    cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
  }

 private:
  size_t count_;
  T* data_;
};

__global__ void accumulate(float* gradient, int count, float step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) gradient[i] += step;  // FAULT
}

int run(int rank, int ranks, ncclComm_t comm) {
  const int count = 500;
  DeviceArray<float> gradient(count);
  gradient.clear();
  for (int micro_batch = 0; micro_batch < 3; micro_batch++) accumulate<<<2, 256>>>(gradient.data(), count, rank + 1.0f);
  ncclAllReduce(gradient.data(), gradient.data(), count, ncclFloat, ncclSum, comm, nullptr);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (float value : gradient.fetch()) wrong += value != 3.0f * ranks * (ranks + 1) / 2;
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  cudaSetDevice(rank);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  int wrong = run(rank, ranks, comm);
  std::printf("rank %d: %d wrong\n", rank, wrong);
  ncclCommDestroy(comm);
  MPI_Finalize();
  return wrong != 0;
}
