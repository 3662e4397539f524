// Thrust: vectors, algorithms on both sides, iterators, policies with streams, functions of the program's own. Results are
// compared with the standard library's.
// ranks: 1
// expect: ok
// expect: 0 wrong
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

struct saxpy {
  float a;
  __host__ __device__ float operator()(const float& x, const float& y) const { return a * x + y; }
};
struct square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};
struct is_odd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct add_members {
  template <typename Tuple>
  __host__ __device__ void operator()(Tuple t) {
    thrust::get<2>(t) = thrust::get<0>(t) + thrust::get<1>(t);
  }
};

constexpr int kCount = 1000;

std::vector<int> mixed() {
  std::vector<int> values(kCount);
  for (int i = 0; i < kCount; i++) values[i] = (i * 7919 + 13) % 257;
  return values;
}
template <typename Device, typename Host>
long differences(const Device& device, const Host& host) {
  thrust::host_vector<typename Device::value_type> got = device;
  if (got.size() != host.size()) return 1;
  return std::equal(got.begin(), got.end(), host.begin()) ? 0 : 1;
}

long check_elements() {
  thrust::device_vector<float> x(kCount), y(kCount, 3.0f);
  thrust::sequence(x.begin(), x.end());
  thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), saxpy{2});
  using namespace thrust::placeholders;
  thrust::transform(y.begin(), y.end(), y.begin(), _1 * 2.0f + 1.0f);
  thrust::device_vector<float> sum(kCount);
  thrust::for_each(thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin(), sum.begin())),
                   thrust::make_zip_iterator(thrust::make_tuple(x.end(), y.end(), sum.end())), add_members());
  long wrong = 0;
  for (int i = 0; i < kCount; i += 97) {
    float wanted = (2 * i + 3) * 2.0f + 1.0f;
    wrong += y[i] != wanted || sum[i] != i + wanted;
  }
  y[5] = 42;
  return wrong + (y[5] != 42.0f);
}

long check_reductions() {
  std::vector<int> host = mixed();
  thrust::device_vector<int> device(host.begin(), host.end());
  long wrong = thrust::reduce(device.begin(), device.end()) != std::accumulate(host.begin(), host.end(), 0);
  wrong += thrust::reduce(device.begin(), device.end(), -1, thrust::maximum<int>()) !=
           *std::max_element(host.begin(), host.end());
  int squares = std::inner_product(host.begin(), host.end(), host.begin(), 0);
  wrong += thrust::transform_reduce(device.begin(), device.end(), square(), 0, thrust::plus<int>()) != squares;
  wrong += thrust::inner_product(device.begin(), device.end(), device.begin(), 0) != squares;
  wrong += thrust::count_if(device.begin(), device.end(), is_odd()) != std::count_if(host.begin(), host.end(), is_odd());
  wrong += thrust::max_element(device.begin(), device.end()) - device.begin() !=
           std::max_element(host.begin(), host.end()) - host.begin();
  auto begin = thrust::make_transform_iterator(thrust::make_counting_iterator(0), square());
  wrong += thrust::reduce(thrust::device, begin, begin + 10) != 285;
  return wrong + (thrust::reduce(host.begin(), host.end()) != std::accumulate(host.begin(), host.end(), 0));
}

long check_scans_and_sorts() {
  std::vector<int> host = mixed(), scanned(kCount);
  thrust::device_vector<int> device = host, out(kCount), positions(kCount);
  std::partial_sum(host.begin(), host.end(), scanned.begin());
  thrust::inclusive_scan(device.begin(), device.end(), out.begin());
  long wrong = differences(out, scanned);
  thrust::exclusive_scan(device.begin(), device.end(), out.begin(), 5);
  wrong += out[0] != 5 || out[kCount - 1] != 5 + scanned[kCount - 2];
  thrust::sequence(positions.begin(), positions.end());
  thrust::device_vector<int> keys = device;
  thrust::sort_by_key(keys.begin(), keys.end(), positions.begin());
  std::vector<int> order(kCount);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return host[a] != host[b] ? host[a] < host[b] : a < b; });
  wrong += differences(positions, order);
  thrust::gather(positions.begin(), positions.end(), device.begin(), out.begin());
  wrong += differences(out, thrust::host_vector<int>(keys));
  thrust::sort(device.begin(), device.end(), thrust::greater<int>());
  std::sort(host.begin(), host.end(), std::greater<int>());
  wrong += differences(device, host);
  device.erase(thrust::unique(device.begin(), device.end()), device.end());
  host.erase(std::unique(host.begin(), host.end()), host.end());
  wrong += differences(device, host);
  device.resize(thrust::remove_if(device.begin(), device.end(), is_odd()) - device.begin());
  host.erase(std::remove_if(host.begin(), host.end(), is_odd()), host.end());
  return wrong + differences(device, host);
}

long check_streams_and_pointers() {
  cudaStream_t stream;
  int* raw;
  cudaStreamCreate(&stream);
  cudaMalloc(&raw, kCount * sizeof(int));
  thrust::fill(thrust::cuda::par.on(stream), raw, raw + kCount, 2);
  thrust::device_ptr<int> pointer = thrust::device_pointer_cast(raw);
  thrust::inclusive_scan(thrust::cuda::par.on(stream), pointer, pointer + kCount, pointer);
  std::vector<int> host(kCount);
  thrust::copy(pointer, pointer + kCount, host.begin());
  long wrong = host[0] != 2 || host[kCount - 1] != 2 * kCount;
  thrust::device_vector<int> from_host(host);
  wrong += thrust::raw_pointer_cast(from_host.data()) == raw || from_host != thrust::device_vector<int>(host);
  wrong += thrust::binary_search(from_host.begin(), from_host.end(), 500) != true;
  wrong += thrust::binary_search(from_host.begin(), from_host.end(), 501) != false;
  thrust::for_each(thrust::device, thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(kCount),
                   [raw] __device__(int i) { raw[i] += i; });
  wrong += pointer[10] != 22 + 10;
  cudaFree(raw);
  cudaStreamDestroy(stream);
  return wrong;
}

long check_groups() {
  thrust::device_vector<int> keys = std::vector<int>{1, 1, 2, 2, 2, 5}, values(6, 10), out_keys(6), sums(6);
  auto end = thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), out_keys.begin(), sums.begin());
  long wrong = end.first - out_keys.begin() != 3 || sums[1] != 30 || out_keys[2] != 5;
  thrust::minstd_rand engine;
  engine.discard(9999);
  return wrong + (engine() != 399268537u);  // The 10000th number, which the C++ standard gives.
}

int main() {
  long wrong = check_elements() + check_reductions() + check_scans_and_sorts() + check_streams_and_pointers() +
               check_groups();
  std::printf("%ld wrong\n", wrong);
  return wrong != 0;
}
