// stranger: OpenMP: loops over the GPUs of ncclCommInitAll are shared by threads, their state in arrays, one loop a phase
// flags: -fopenmp
// ranks: 4
// arguments: 1000 3
// expect-output: 4 GPUs, 3 rounds: ok
// convert: lsa gin
// share: all
// Power iteration on a matrix that is split by rows: every GPU multiplies its rows, an all-gather puts the vector together.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <nccl.h>
#include <omp.h>
#include <vector>

static void check(int status, const char* what, int line) {
  if (status == 0) return;
  std::fprintf(stderr, "line %d: %s failed with %d\n", line, what, status);
  std::exit(1);
}
#define CHECK(call) check(static_cast<int>(call), #call, __LINE__)

__global__ void multiply_rows(const float* x, float* y, int rows, int first_row, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  // Row r of the matrix has a 2 on its diagonal and a 1 to the right of it.
  int r = first_row + row;
  y[row] = 2.0f * x[r] + x[(r + 1) % n];
}

int main(int argc, char** argv) {
  int gpus = 0;
  CHECK(cudaGetDeviceCount(&gpus));
  int rows = argc > 1 ? std::atoi(argv[1]) : 1 << 20;
  int rounds = argc > 2 ? std::atoi(argv[2]) : 10;
  int n = rows * gpus;

  std::vector<ncclComm_t> comms(gpus);
  CHECK(ncclCommInitAll(comms.data(), gpus, nullptr));
  std::vector<cudaStream_t> streams(gpus);
  std::vector<float*> x(gpus), y(gpus);
  std::vector<float> start(n), result(n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) start[i] = static_cast<float>(i % 3);

#pragma omp parallel for num_threads(gpus)
  for (int d = 0; d < gpus; d++) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaStreamCreate(&streams[d]));
    CHECK(cudaMalloc(&x[d], n * sizeof(float)));
    CHECK(cudaMalloc(&y[d], rows * sizeof(float)));
    CHECK(cudaMemcpy(x[d], start.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  }

  double begin = omp_get_wtime();
#pragma omp parallel for num_threads(gpus)
  for (int d = 0; d < gpus; d++) {
    CHECK(cudaSetDevice(d));
    for (int round = 0; round < rounds; round++) {
      multiply_rows<<<(rows + 255) / 256, 256, 0, streams[d]>>>(x[d], y[d], rows, d * rows, n);
      CHECK(ncclAllGather(y[d], x[d], rows, ncclFloat, comms[d], streams[d]));
    }
    CHECK(cudaStreamSynchronize(streams[d]));
  }
  double seconds = omp_get_wtime() - begin;

  CHECK(cudaSetDevice(0));
  CHECK(cudaMemcpy(result.data(), x[0], n * sizeof(float), cudaMemcpyDeviceToHost));
  std::vector<float> expected = start, next(n);
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) next[i] = 2.0f * expected[i] + expected[(i + 1) % n];
    expected.swap(next);
  }
  int wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
  for (int i = 0; i < n; i++) wrong += result[i] != expected[i];

#pragma omp parallel for num_threads(gpus)
  for (int d = 0; d < gpus; d++) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaFree(x[d]));
    CHECK(cudaFree(y[d]));
    CHECK(cudaStreamDestroy(streams[d]));
    CHECK(ncclCommDestroy(comms[d]));
  }
  std::printf("%d GPUs, %d rounds: %s\n", gpus, rounds, wrong == 0 ? "ok" : "WRONG");
  if (std::getenv("VERBOSE")) std::printf("%.3f ms\n", seconds * 1e3);
  return wrong == 0 ? 0 : 1;
}
