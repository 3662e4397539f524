// stranger: OpenMP: a class opens its GPUs in one parallel loop, steps in regions and closes in another; pragmas by macro, a C file
// files: main.cu checks.c
// flags: -fopenmp
// ranks: 4
// arguments: 1024 3
// expect-output: 3 steps: sum 20480 of 20480
// convert: lsa gin
// share: all
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>
#include <nccl.h>
#include <omp.h>

#include "checks.h"

#define FOR_EACH_GPU _Pragma("omp parallel for num_threads(count_)") for (int d = 0; d < count_; ++d)

#define TRY(call)                                                              \
  if (int status = static_cast<int>(call)) {                                   \
    std::fprintf(stderr, "%s:%d: status %d\n", __FILE__, __LINE__, status);    \
    std::exit(EXIT_FAILURE);                                                   \
  }

__host__ __device__ constexpr int factor() {
#ifdef __CUDA_ARCH__
  return 2;
#else
  return 0;
#endif
}

template <typename T>
__global__ void fill(T* v, int n, T by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] = by * factor();
}

class Solver {
 public:
  Solver(int count, int n) : count_(count), n_(n), comms_(count), values_(count), sums_(count), streams_(count) {
    ncclUniqueId id;
    TRY(ncclGetUniqueId(&id));
    FOR_EACH_GPU {
      TRY(cudaSetDevice(d));
      TRY(ncclCommInitRank(&comms_[d], count_, id, d));
      TRY(cudaStreamCreate(&streams_[d]));
      TRY(cudaMalloc(&values_[d], n_ * sizeof(int)));
      TRY(cudaMalloc(&sums_[d], n_ * sizeof(int)));
    }
  }
  ~Solver() {
    FOR_EACH_GPU {
      cudaSetDevice(d);
      cudaFree(values_[d]);
      cudaFree(sums_[d]);
      cudaStreamDestroy(streams_[d]);
      ncclCommDestroy(comms_[d]);
    }
  }

  void step() {
    int by = 1;
#pragma omp parallel num_threads(count_) firstprivate(by)
    {
      int d = omp_get_thread_num();
      TRY(cudaSetDevice(d));
      by += d;
      fill<<<(n_ + 127) / 128, 128, 0, streams_[d]>>>(values_[d], n_, by);
      TRY(ncclAllReduce(values_[d], sums_[d], n_, ncclInt, ncclSum, comms_[d], streams_[d]));
      TRY(cudaStreamSynchronize(streams_[d]));
    }
  }

  std::vector<int> result() const {
    std::vector<int> host(n_);
    TRY(cudaSetDevice(0));
    TRY(cudaMemcpy(host.data(), sums_[0], n_ * sizeof(int), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  int count_, n_;
  std::vector<ncclComm_t> comms_;
  std::vector<int*> values_, sums_;
  std::vector<cudaStream_t> streams_;
};

int main(int argc, char** argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 1 << 20, steps = argc > 2 ? std::atoi(argv[2]) : 10;
  int gpus = 0;
  TRY(cudaGetDeviceCount(&gpus));
  Solver solver(gpus, n);
  double begin = omp_get_wtime();
  for (int i = 0; i < steps; i++) solver.step();
  double seconds = omp_get_wtime() - begin;
  std::vector<int> host = solver.result();
  long sum = sum_of(n, host.data()), expected = static_cast<long>(n) * gpus * (gpus + 1);
  std::printf("%d steps: sum %ld of %ld\n", steps, sum, expected);
  if (std::getenv("VERBOSE")) std::printf("%.3f ms\n", seconds * 1e3);
  return sum == expected ? 0 : 1;
}
