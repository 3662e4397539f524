// NCCL's host collectives over the emulated NIC, called and replayed from a CUDA graph, checked and timed: the baseline
// that device-initiated programs are compared with sees the same network.
#include <functional>
#include <string>
#include <vector>

#include "world.h"

namespace {

__global__ void fill(float* data, size_t count, int rank) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    data[i] = static_cast<float>((i % 1021) * (rank + 1));
}

class Collectives {
 public:
  Collectives(World& world, size_t count) : world_(world), count_(count) {
    CHECK_CUDA(cudaMalloc(&send_, count * world.count * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&receive_, count * world.count * sizeof(float)));
    CHECK_CUDA(cudaEventCreate(&begin_));
    CHECK_CUDA(cudaEventCreate(&end_));
  }

  using Call = std::function<void()>;
  using Expected = std::function<double(size_t)>;  // Of element i of the result.

  // `nic_bytes`: what leaves one NIC.
  void run(const char* name, double nic_bytes, size_t results, const Call& call, const Expected& expected) {
    fill<<<64, 256, 0, world_.stream>>>(send_, count_ * world_.count, world_.rank);
    CHECK_CUDA(cudaMemsetAsync(receive_, 0xff, count_ * world_.count * sizeof(float), world_.stream));
    world_.meet();
    call();
    world_.meet();
    int wrong = count_wrong(results, expected);
    CHECK_CUDA(cudaMemsetAsync(receive_, 0xff, count_ * world_.count * sizeof(float), world_.stream));
    world_.meet();
    call_from_graph(call);
    wrong += count_wrong(results, expected);
    for (int i = 0; i < 3; ++i) call();
    world_.meet();
    CHECK_CUDA(cudaEventRecord(begin_, world_.stream));
    constexpr int rounds = 10;
    for (int i = 0; i < rounds; ++i) call();
    CHECK_CUDA(cudaEventRecord(end_, world_.stream));
    world_.meet();
    float ms = 0;
    CHECK_CUDA(cudaEventElapsedTime(&ms, begin_, end_));
    const double us = world_.slowest(ms) * 1e3 / rounds;
    const double worst = world_.slowest(wrong);
    failures_ += worst != 0;
    if (world_.rank == 0)
      std::printf("%-14s %9zu B a rank: %9.1f us, %6.2f GB/s a NIC, %s\n", name, count_ * sizeof(float), us,
                  nic_bytes / us / 1e3, worst == 0 ? "right" : "WRONG");
    std::fflush(stdout);
  }

  int run_all();

 private:
  void call_from_graph(const Call& call) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    CHECK_CUDA(cudaStreamBeginCapture(world_.stream, cudaStreamCaptureModeThreadLocal));
    call();
    CHECK_CUDA(cudaStreamEndCapture(world_.stream, &graph));
    CHECK_CUDA(cudaGraphInstantiate(&ready, graph, 0));
    for (int i = 0; i < 2; ++i) CHECK_CUDA(cudaGraphLaunch(ready, world_.stream));
    world_.meet();
    CHECK_CUDA(cudaGraphExecDestroy(ready));
    CHECK_CUDA(cudaGraphDestroy(graph));
  }

  int count_wrong(size_t results, const Expected& expected) {
    std::vector<float> host(results);
    CHECK_CUDA(cudaMemcpy(host.data(), receive_, results * sizeof(float), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (size_t i = 0; i < results; ++i) wrong += host[i] != static_cast<float>(expected(i));
    return wrong;
  }

  World& world_;
  size_t count_;
  float* send_ = nullptr;
  float* receive_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  int failures_ = 0;
};

int Collectives::run_all() {
  const int n = world_.count;
  const double bytes = count_ * sizeof(float);
  const double ranks_sum = n * (n + 1) / 2.0;
  const int last = (world_.rank + n - 1) % n;
  run(
      "all-gather", bytes * (n - 1), count_ * n,
      [&] { CHECK_NCCL(ncclAllGather(send_, receive_, count_, ncclFloat, world_.comm, world_.stream)); },
      [&](size_t i) { return (i % count_ % 1021) * double(i / count_ + 1); });
  run(
      "all-reduce", bytes * 2 * (n - 1) / n, count_,
      [&] { CHECK_NCCL(ncclAllReduce(send_, receive_, count_, ncclFloat, ncclSum, world_.comm, world_.stream)); },
      [&](size_t i) { return (i % 1021) * ranks_sum; });
  run(
      "reduce-scatter", bytes * (n - 1), count_,
      [&] { CHECK_NCCL(ncclReduceScatter(send_, receive_, count_, ncclFloat, ncclSum, world_.comm, world_.stream)); },
      [&](size_t i) { return ((world_.rank * count_ + i) % 1021) * ranks_sum; });
  run(
      "broadcast", bytes, count_,
      [&] { CHECK_NCCL(ncclBroadcast(send_, receive_, count_, ncclFloat, 0, world_.comm, world_.stream)); },
      [&](size_t i) { return double(i % 1021); });
  run(
      "send/receive", bytes, count_,
      [&] {
        CHECK_NCCL(ncclGroupStart());
        CHECK_NCCL(ncclSend(send_, count_, ncclFloat, (world_.rank + 1) % n, world_.comm, world_.stream));
        CHECK_NCCL(ncclRecv(receive_, count_, ncclFloat, last, world_.comm, world_.stream));
        CHECK_NCCL(ncclGroupEnd());
      },
      [&](size_t i) { return (i % 1021) * double(last + 1); });
  return failures_;
}

}  // namespace

int main(int argc, char** argv) {
  World world(&argc, &argv);
  int failures = 0;
  for (size_t count : {size_t{4096}, size_t{1} << 18, size_t{4} << 20}) {
    Collectives collectives(world, count);
    failures += collectives.run_all();
  }
  if (world.rank == 0) std::printf("collectives: %d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
