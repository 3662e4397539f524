// Every rank of a ring sends before it receives, outside a group: all of them wait for a receiver.
// ranks: 4
// expect-finding: deadlock
#include <nccl.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), std::exit(1)))

constexpr int kElements = 1024;
std::atomic<int> wrong{0};

__global__ void fill(int* values, int rank) {
  for (int i = threadIdx.x; i < kElements; i += blockDim.x) values[i] = rank * kElements + i;
}

class RingRank {
 public:
  RingRank(int rank, int count, ncclUniqueId id) : rank_(rank), count_(count) {
    CHECK(cudaSetDevice(rank));
    CHECK(ncclCommInitRank(&comm_, count, id, rank));
    CHECK(cudaStreamCreate(&stream_));
    CHECK(cudaMalloc(&out_, kElements * sizeof(int)));
    CHECK(cudaMalloc(&in_, kElements * sizeof(int)));
  }
  ~RingRank() {
    CHECK(cudaFree(in_));
    CHECK(cudaFree(out_));
    CHECK(cudaStreamDestroy(stream_));
    CHECK(ncclCommDestroy(comm_));
  }
  RingRank(const RingRank&) = delete;

  void shift() {
    fill<<<1, 128, 0, stream_>>>(out_, rank_);
    CHECK(ncclSend(out_, kElements, ncclInt, (rank_ + 1) % count_, comm_, stream_));  // FAULT
    CHECK(ncclRecv(in_, kElements, ncclInt, previous(), comm_, stream_));             // FAULT
    CHECK(cudaStreamSynchronize(stream_));                                            // FAULT
  }

  int errors() const {
    std::vector<int> got(kElements);
    CHECK(cudaMemcpy(got.data(), in_, kElements * sizeof(int), cudaMemcpyDeviceToHost));
    int errors = 0;
    for (int i = 0; i < kElements; i++) errors += got[i] != previous() * kElements + i;
    return errors;
  }

 private:
  int previous() const { return (rank_ + count_ - 1) % count_; }

  int rank_, count_;
  ncclComm_t comm_;
  cudaStream_t stream_;
  int *out_, *in_;
};

int main() {
  const int count = 4;
  ncclUniqueId id;
  CHECK(ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; rank++)
    threads.emplace_back([=] {
      RingRank ring(rank, count, id);
      ring.shift();
      wrong += ring.errors();
    });
  for (std::thread& thread : threads) thread.join();
  std::printf("%d wrong\n", wrong.load());
  return wrong != 0;
}
