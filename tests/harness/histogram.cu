// Every rank counts its samples into bins; the counts of all ranks are summed. The input lies in host memory.
#include <cuco/harness.h>

#include <vector>

#include "ranks.h"

__global__ void count_samples(const int* samples, int count, unsigned long long* bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) atomicAdd(&bins[samples[i]], 1ull);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  cuco::Harness harness(ranks.rank, ranks.count, argc, argv);
  int bin_count = static_cast<int>(harness.parameter("bins", 16));
  int count = 1000 + 100 * ranks.rank;
  std::vector<int> samples(count);
  std::vector<int64_t> sums(bin_count);
  int* on_device = allocate<int>(count);
  auto* bins = allocate<unsigned long long>(bin_count);
  harness.input("samples", samples.data(), count, cuco::integers(0, bin_count - 1));
  harness.output("sums", sums.data(), bin_count, cuco::exact());
  harness.run([&] {
    CHECK(cudaMemcpyAsync(on_device, samples.data(), count * sizeof(int), cudaMemcpyHostToDevice, ranks.stream));
    CHECK(cudaMemsetAsync(bins, 0, bin_count * sizeof *bins, ranks.stream));
    count_samples<<<(count + 127) / 128, 128, 0, ranks.stream>>>(on_device, count, bins);
    CHECK(ncclAllReduce(bins, bins, bin_count, ncclUint64, ncclSum, ranks.comm, ranks.stream));
    CHECK(cudaMemcpyAsync(sums.data(), bins, bin_count * sizeof *bins, cudaMemcpyDeviceToHost, ranks.stream));
    CHECK(cudaStreamSynchronize(ranks.stream));
  });
  CHECK(cudaFree(on_device));
  CHECK(cudaFree(bins));
}
