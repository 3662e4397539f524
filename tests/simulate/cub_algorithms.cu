// CUB: reductions, scans and sorts of a block, of a warp, and over a device with storage of the program's own.
// ranks: 1
// expect: ok
// expect: 0 wrong
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#define CHECK(call)                                                  \
  do {                                                               \
    if (int result_ = static_cast<int>(call)) {                      \
      std::printf("%s:%d: error %d\n", __FILE__, __LINE__, result_); \
      std::exit(1);                                                  \
    }                                                                \
  } while (0)

constexpr int kThreads = 128, kItems = 4, kBlock = kThreads * kItems;

__global__ void block_sums(const int* in, int* sums, int* scanned, float* largest) {
  using Reduce = cub::BlockReduce<int, kThreads>;
  using Scan = cub::BlockScan<int, kThreads>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
  } storage;
  int value = in[blockIdx.x * kThreads + threadIdx.x];
  int sum = Reduce(storage.reduce).Sum(value);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  __syncthreads();
  int before, all;
  Scan(storage.scan).ExclusiveSum(value, before, all);
  scanned[blockIdx.x * kThreads + threadIdx.x] = before + all;
  __shared__ typename cub::BlockReduce<float, kThreads, cub::BLOCK_REDUCE_WARP_REDUCTIONS>::TempStorage floats;
  float most = cub::BlockReduce<float, kThreads, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(floats).Reduce(float(value), cub::Max());
  if (threadIdx.x == 0) largest[blockIdx.x] = most;
}

__global__ void warp_sums(const int* in, int* sums, int* scanned) {
  __shared__ cub::WarpReduce<int>::TempStorage reduce[kThreads / 32];
  __shared__ cub::WarpScan<int>::TempStorage scan[kThreads / 32];
  int warp = threadIdx.x / 32, value = in[threadIdx.x], to;
  int sum = cub::WarpReduce<int>(reduce[warp]).Sum(value);
  if (threadIdx.x % 32 == 0) sums[warp] = sum;
  cub::WarpScan<int>(scan[warp]).InclusiveSum(value, to);
  scanned[threadIdx.x] = to;
}

__global__ void sort_block(const int* in, int* out) {
  using Load = cub::BlockLoad<int, kThreads, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<int, kThreads, kItems>;
  using Store = cub::BlockStore<int, kThreads, kItems, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ typename Load::TempStorage load;
  __shared__ typename Sort::TempStorage sort;
  __shared__ typename Store::TempStorage store;
  int items[kItems];
  Load(load).Load(in, items);
  Sort(sort).Sort(items);
  Store(store).Store(out, items);
}

template <typename T>
struct Buffer {
  explicit Buffer(const std::vector<T>& values) : count(values.size()) {
    CHECK(cudaMalloc(&data, count * sizeof(T)));
    CHECK(cudaMemcpy(data, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Buffer() { CHECK(cudaFree(data)); }
  Buffer(const Buffer&) = delete;
  std::vector<T> get() const {
    std::vector<T> values(count);
    CHECK(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
  T* data;
  size_t count;
};

// Asks for the size, then calls with storage of that size.
template <typename Call>
void with_storage(Call call) {
  size_t bytes = 0;
  CHECK(call(nullptr, bytes));
  void* storage;
  CHECK(cudaMalloc(&storage, bytes));
  CHECK(call(storage, bytes));
  CHECK(cudaFree(storage));
}

struct is_even {
  __host__ __device__ bool operator()(int value) const { return value % 2 == 0; }
};

long check_blocks(const std::vector<int>& values) {
  int blocks = kBlock / kThreads;
  Buffer<int> in(values), sums{std::vector<int>(blocks)}, scanned(values), sorted(values);
  Buffer<float> largest{std::vector<float>(blocks)};
  block_sums<<<blocks, kThreads>>>(in.data, sums.data, scanned.data, largest.data);
  long wrong = 0;
  std::vector<int> got = sums.get(), prefix = scanned.get();
  for (int block = 0; block < blocks; block++) {
    auto first = values.begin() + block * kThreads;
    int sum = std::accumulate(first, first + kThreads, 0), before = 0;
    wrong += got[block] != sum || largest.get()[block] != *std::max_element(first, first + kThreads);
    for (int i = 0; i < kThreads; i++) {
      wrong += prefix[block * kThreads + i] != before + sum;
      before += first[i];
    }
  }
  warp_sums<<<1, kThreads>>>(in.data, sums.data, scanned.data);
  got = sums.get(), prefix = scanned.get();
  for (int warp = 0, sum = 0; warp < kThreads / 32; warp++, sum = 0) {
    for (int i = 0; i < 32; i++) wrong += prefix[warp * 32 + i] != (sum += values[warp * 32 + i]);
    wrong += got[warp] != sum;
  }
  sort_block<<<1, kThreads>>>(in.data, sorted.data);
  std::vector<int> order = values;
  std::sort(order.begin(), order.end());
  return wrong + (sorted.get() != order);
}

long check_device(const std::vector<int>& values) {
  int count = static_cast<int>(values.size());
  Buffer<int> in(values), out(values), positions{std::vector<int>(count)}, places{std::vector<int>(count)}, one{std::vector<int>(1)};
  long wrong = 0;
  with_storage([&](void* s, size_t& b) { return cub::DeviceReduce::Sum(s, b, in.data, one.data, count); });
  wrong += one.get()[0] != std::accumulate(values.begin(), values.end(), 0);
  with_storage([&](void* s, size_t& b) { return cub::DeviceReduce::Min(s, b, in.data, one.data, count); });
  wrong += one.get()[0] != *std::min_element(values.begin(), values.end());
  with_storage([&](void* s, size_t& b) { return cub::DeviceScan::InclusiveSum(s, b, in.data, out.data, count); });
  std::vector<int> wanted(count);
  std::partial_sum(values.begin(), values.end(), wanted.begin());
  wrong += out.get() != wanted;
  std::vector<int> index(count);
  std::iota(index.begin(), index.end(), 0);
  CHECK(cudaMemcpy(positions.data, index.data(), count * sizeof(int), cudaMemcpyHostToDevice));
  with_storage([&](void* s, size_t& b) {
    return cub::DeviceRadixSort::SortPairsDescending(s, b, in.data, out.data, positions.data, places.data, count);
  });
  std::sort(index.begin(), index.end(),
            [&](int a, int b) { return values[a] != values[b] ? values[a] > values[b] : a < b; });
  wrong += places.get() != index;
  with_storage([&](void* s, size_t& b) {
    return cub::DeviceSelect::If(s, b, in.data, out.data, one.data, count, is_even());
  });
  wanted.clear();
  std::copy_if(values.begin(), values.end(), std::back_inserter(wanted), is_even());
  std::vector<int> got = out.get();
  got.resize(one.get()[0]);
  wrong += got != wanted;
  size_t too_little = 8;
  wrong += cub::DeviceRadixSort::SortKeys(out.data, too_little, in.data, out.data, count) != cudaErrorInvalidValue;
  return wrong;
}

int main() {
  std::vector<int> values(kBlock);
  for (int i = 0; i < kBlock; i++) values[i] = (i * 7919) % 1009 - 500;
  long wrong = check_blocks(values) + check_device(values);
  std::printf("%ld wrong\n", wrong);
  return wrong != 0;
}
