// Each rank leaves the loop when its own residual is small, so the ranks call the all-reduce a different number of
// times.
// ranks: 4
// expect-finding: collective_mismatch
// says: never came
#include <nccl.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

__global__ void relax(float* residual) { *residual *= 0.5f; }

class Solver {
 public:
  Solver(int rank, int ranks, ncclUniqueId id) {
    cudaSetDevice(rank);
    ncclCommInitRank(&comm_, ranks, id, rank);
    cudaStreamCreate(&stream_);
    cudaMalloc(&local_, sizeof(float));
    cudaMalloc(&worst_, sizeof(float));
    float start = static_cast<float>(1 << (2 * rank));
    cudaMemcpy(local_, &start, sizeof start, cudaMemcpyHostToDevice);
  }
  ~Solver() {
    cudaFree(local_);
    cudaFree(worst_);
    cudaStreamDestroy(stream_);
    ncclCommDestroy(comm_);
  }
  int solve() {
    int rounds = 0;
    float local = 0, worst = 0;
    do {
      relax<<<1, 1, 0, stream_>>>(local_);
      ncclAllReduce(local_, worst_, 1, ncclFloat, ncclMax, comm_, stream_);  // FAULT
      cudaMemcpyAsync(&local, local_, sizeof local, cudaMemcpyDeviceToHost, stream_);
      cudaMemcpyAsync(&worst, worst_, sizeof worst, cudaMemcpyDeviceToHost, stream_);
      cudaStreamSynchronize(stream_);  // FAULT
      rounds++;
    } while (local > 0.3f);  // FAULT
    return rounds;
  }

 private:
  ncclComm_t comm_;
  cudaStream_t stream_;
  float *local_, *worst_;
};

int main() {
  const int ranks = 4, expected_rounds = 8;
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; rank++)
    threads.emplace_back([&wrong, rank, id] { wrong += Solver(rank, ranks, id).solve() != expected_rounds; });
  for (std::thread& thread : threads) thread.join();
  std::printf("%d wrong\n", wrong.load());
  return wrong != 0;
}
