// The parts of libcu++ that stand for the host's standard library, in kernels and on the host.
// ranks: 1
// expect: ok
// expect: 0 wrong
#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>

#include <cstdio>

__host__ __device__ int check() {
  int wrong = 0;
  cuda::std::complex<float> turn(0.0f, 1.0f);
  wrong += (turn * turn).real() != -1.0f;
  cuda::std::array<int, 4> numbers = {1, 2, 3, 4};
  wrong += cuda::std::accumulate(numbers.begin(), numbers.end(), 0) != 10;
  cuda::std::optional<int> none;
  wrong += none.value_or(7) != 7;
  auto pair = cuda::std::make_tuple(1, 2.5f);
  wrong += cuda::std::get<1>(pair) != 2.5f;
  auto twice = cuda::proclaim_return_type<int>([] __host__ __device__(int x) { return 2 * x; });
  wrong += twice(cuda::maximum<>{}(3, 5)) != 10;
  wrong += cuda::ceil_div(10, 4) != 3 || cuda::round_up(10, 4) != 12 || cuda::round_down(10, 4) != 8;
  return wrong;
}

__global__ void run(int* wrong) { *wrong = check(); }

int main() {
  int *device, wrong = 0;
  cudaMalloc(&device, sizeof(int));
  run<<<1, 1>>>(device);
  cudaMemcpy(&wrong, device, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(device);
  std::printf("%d wrong\n", wrong + check());
  return wrong;
}
