// Residuals differ from rank to rank, but all leave the loop by the reduced one and so in the same round.
// ranks: 4
// expect: no findings
#include <nccl.h>

#include <algorithm>
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
      ncclAllReduce(local_, worst_, 1, ncclFloat, ncclMax, comm_, stream_);
      cudaMemcpyAsync(&local, local_, sizeof local, cudaMemcpyDeviceToHost, stream_);
      cudaMemcpyAsync(&worst, worst_, sizeof worst, cudaMemcpyDeviceToHost, stream_);
      cudaStreamSynchronize(stream_);
      rounds++;
    } while (std::max(local, worst) > 0.3f);
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
