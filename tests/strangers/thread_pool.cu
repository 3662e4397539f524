// stranger: std::thread workers, one GPU each; the communicator is a unique_ptr with its own deleter, results come by std::future
// ranks: 4
// arguments: 400
// expect-output: histogram total 1600 OK
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <nccl.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

namespace {

std::mutex print_mutex;
std::atomic<int> failures{0};

void require(bool condition, const char* text, int line) {
  if (condition) return;
  ++failures;
  std::lock_guard<std::mutex> lock(print_mutex);
  std::cerr << "line " << line << ": " << text << std::endl;
  std::exit(1);
}
#define REQUIRE(call) require((call) == 0, #call, __LINE__)

struct CommDeleter {
  void operator()(ncclComm* comm) const { ncclCommDestroy(comm); }
};
using CommPtr = std::unique_ptr<ncclComm, CommDeleter>;

CommPtr join(int count, const ncclUniqueId& id, int rank) {
  ncclComm_t raw = nullptr;
  REQUIRE(ncclCommInitRank(&raw, count, id, rank));
  return CommPtr(raw);
}

constexpr unsigned kBins = 16;

__global__ void histogram(const unsigned* values, unsigned* bins, int count) {
  __shared__ unsigned local[kBins];
  if (threadIdx.x < kBins) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(&local[values[i] % kBins], 1u);
  __syncthreads();
  if (threadIdx.x < kBins) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

std::vector<unsigned> worker(int device, int devices, const ncclUniqueId id, int count) {
  REQUIRE(cudaSetDevice(device));
  CommPtr comm = join(devices, id, device);
  cudaStream_t stream;
  REQUIRE(cudaStreamCreate(&stream));
  std::vector<unsigned> values(count), result(kBins);
  std::iota(values.begin(), values.end(), 3u * device);
  unsigned *d_values = nullptr, *d_bins = nullptr;
  REQUIRE(cudaMalloc(&d_values, count * sizeof(unsigned)));
  REQUIRE(cudaMalloc(&d_bins, kBins * sizeof(unsigned)));
  REQUIRE(cudaMemcpyAsync(d_values, values.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice, stream));
  REQUIRE(cudaMemsetAsync(d_bins, 0, kBins * sizeof(unsigned), stream));
  histogram<<<4, 64, 0, stream>>>(d_values, d_bins, count);
  REQUIRE(ncclAllReduce(d_bins, d_bins, kBins, ncclUint32, ncclSum, comm.get(), stream));
  REQUIRE(cudaMemcpyAsync(result.data(), d_bins, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
  REQUIRE(cudaStreamSynchronize(stream));
  REQUIRE(cudaFree(d_values));
  REQUIRE(cudaFree(d_bins));
  REQUIRE(cudaStreamDestroy(stream));
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 10'000'000;
  int devices = 0;
  REQUIRE(cudaGetDeviceCount(&devices));
  ncclUniqueId id;
  REQUIRE(ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  std::vector<std::future<std::vector<unsigned>>> results;
  const auto begin = std::chrono::steady_clock::now();
  for (int d = 0; d < devices; ++d) {
    std::packaged_task<std::vector<unsigned>()> task([=] { return worker(d, devices, id, count); });
    results.push_back(task.get_future());
    threads.emplace_back(std::move(task));
  }
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::vector<unsigned> want(kBins, 0);
  for (int d = 0; d < devices; ++d)
    for (int i = 0; i < count; ++i) want[(3u * d + i) % kBins]++;
  unsigned total = 0;
  bool good = failures == 0;
  for (auto& result : results) {
    const std::vector<unsigned> bins = result.get();
    good = good && bins == want;
    total = std::accumulate(bins.begin(), bins.end(), 0u);
  }
  std::cerr << took.count() << " s\n";
  std::cout << "histogram total " << total << (good ? " OK" : " WRONG") << std::endl;
  return good ? 0 : 1;
}
