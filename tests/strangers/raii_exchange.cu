// stranger: modern C++: move-only owners of streams, events, memory and communicators; errors are exceptions; sizes from a string
// ranks: 4
// arguments: 2K
// expect-output: neighbour exchange verified
// convert: lsa gin
#include <cstdint>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

class GpuError : public std::runtime_error {
 public:
  GpuError(std::string_view what, std::string_view file, int line)
      : std::runtime_error((std::ostringstream() << file << ':' << line << ' ' << what).str()) {}
};

#define THROW_CUDA(expression)                                                                     \
  if (const cudaError_t error = (expression); error != cudaSuccess) \
  throw GpuError(cudaGetErrorString(error), __FILE__, __LINE__)
#define THROW_NCCL(expression)                                                                     \
  if (const ncclResult_t error = (expression); error != ncclSuccess) \
  throw GpuError(ncclGetErrorString(error), __FILE__, __LINE__)

template <typename T>
class DeviceSpan {
 public:
  explicit DeviceSpan(std::size_t size) : size_{size} { THROW_CUDA(cudaMalloc(&data_, size * sizeof(T))); }
  DeviceSpan(DeviceSpan&& other) noexcept : data_{std::exchange(other.data_, nullptr)}, size_{other.size_} {}
  ~DeviceSpan() { cudaFree(data_); }
  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  T* data_{};
  std::size_t size_{};
};

class Stream {
 public:
  Stream() { THROW_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }
  void wait() const { THROW_CUDA(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_{};
};

class Communicator {
 public:
  Communicator(int rank, int size) : rank_{rank}, size_{size} {
    ncclUniqueId id{};
    if (rank == 0) THROW_NCCL(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    THROW_NCCL(ncclCommInitRank(&comm_, size, id, rank));
  }
  ~Communicator() { ncclCommDestroy(comm_); }
  Communicator(const Communicator&) = delete;
  [[nodiscard]] int left() const { return (rank_ + size_ - 1) % size_; }
  [[nodiscard]] int right() const { return (rank_ + 1) % size_; }

  template <typename T>
  void shift(const DeviceSpan<T>& from, DeviceSpan<T>& to, cudaStream_t stream) const {
    static_assert(std::is_same_v<T, std::uint64_t>);
    THROW_NCCL(ncclGroupStart());
    THROW_NCCL(ncclSend(from.data(), from.size(), ncclUint64, right(), comm_, stream));
    THROW_NCCL(ncclRecv(to.data(), to.size(), ncclUint64, left(), comm_, stream));
    THROW_NCCL(ncclGroupEnd());
  }

 private:
  int rank_, size_;
  ncclComm_t comm_{};
};

__global__ void stamp(std::uint64_t* data, std::size_t size, std::uint64_t tag) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < size) data[i] = tag << 32 | i;
}

__global__ void verify(const std::uint64_t* data, std::size_t size, std::uint64_t tag, int* bad) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < size && data[i] != (tag << 32 | i)) atomicAdd(bad, 1);
}

std::size_t parse_size(const std::string& text) {
  std::size_t used = 0, value = std::stoul(text, &used);
  if (used < text.size()) value <<= text[used] == 'K' ? 10 : text[used] == 'M' ? 20 : 0;
  return value;
}

int main(int argc, char** argv) try {
  MPI_Init(&argc, &argv);
  int rank{}, size{};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int bad_everywhere = 0;
  {
    THROW_CUDA(cudaSetDevice(rank));
    const auto count = parse_size(argc > 1 ? argv[1] : "16M") / sizeof(std::uint64_t);
    const auto world = std::make_unique<Communicator>(rank, size);
    const Stream stream;
    std::vector<DeviceSpan<std::uint64_t>> ring;
    ring.emplace_back(count);
    ring.emplace_back(count);
    DeviceSpan<int> bad(1);
    const unsigned blocks = (count + 127) / 128;
    THROW_CUDA(cudaMemsetAsync(bad.data(), 0, sizeof(int), stream));
    stamp<<<blocks, 128, 0, stream>>>(ring[0].data(), count, rank);
    for (int hop = 0; hop < size - 1; ++hop) {
      world->shift(ring[0], ring[1], stream);
      verify<<<blocks, 128, 0, stream>>>(ring[1].data(), count, (rank + 2 * size - hop - 1) % size, bad.data());
      THROW_CUDA(cudaMemcpyAsync(ring[0].data(), ring[1].data(), count * sizeof(std::uint64_t), cudaMemcpyDeviceToDevice, stream));
    }
    int host = -1;
    THROW_CUDA(cudaMemcpyAsync(&host, bad.data(), sizeof host, cudaMemcpyDeviceToHost, stream));
    stream.wait();
    MPI_Allreduce(&host, &bad_everywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) std::cout << "neighbour exchange " << (bad_everywhere ? "BROKEN" : "verified") << '\n';
  }
  MPI_Finalize();
  return bad_everywhere == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 3;
}
