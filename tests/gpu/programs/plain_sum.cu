// A program without the harness, as a user brings it: every rank adds up all ranks' numbers and doubles the sum, in a
// way that the variable CUCO_TEST_FAULT spoils. Written for the stand-in of a CUDA runtime: a kernel is a function of
// its array of arguments.
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static int calls = 0;

static void double_them(void** arguments) {
  float* values = *static_cast<float**>(arguments[0]);
  int count = *static_cast<int*>(arguments[1]);
  for (int i = 0; i < count; i++) values[i] *= 2;
  calls++;
}

static bool is_faulty(const char* wanted, int rank) {
  const char* given = std::getenv("CUCO_TEST_FAULT");
  return rank == 1 && given && std::strcmp(given, wanted) == 0;
}

int main(int argc, char** argv) {
  int rank = 0, rank_count = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
  int device_count = 0;
  cudaGetDeviceCount(&device_count);
  cudaDeviceProp properties = {};
  if (device_count < rank_count || cudaSetDevice(rank) != cudaSuccess ||
      cudaGetDeviceProperties(&properties, rank) != cudaSuccess) {
    std::printf("rank %d: no device of its own, %d in all\n", rank, device_count);
    return 3;
  }
  int count = argc > 1 ? std::atoi(argv[1]) : 1024;
  std::vector<float> numbers(count), result(count);
  for (int i = 0; i < count; i++) numbers[i] = static_cast<float>(i % 17 + rank);
  float *in = nullptr, *sum = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&in), sizeof(float) * count);
  cudaMalloc(reinterpret_cast<void**>(&sum), sizeof(float) * count);
  cudaMemcpy(in, numbers.data(), sizeof(float) * count, cudaMemcpyHostToDevice);
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);

  double start = MPI_Wtime();
  ncclAllReduce(in, sum, count, ncclFloat32, ncclSum, nullptr, stream);
  void* arguments[] = {&sum, &count};
  cudaLaunchKernel(reinterpret_cast<const void*>(&double_them), dim3(), dim3(), arguments, 0, stream);
  cudaStreamSynchronize(stream);
  double taken = MPI_Wtime() - start;

  if (is_faulty("wrong", rank)) sum[7] += 1;
  cudaMemcpy(result.data(), sum, sizeof(float) * count, cudaMemcpyDeviceToHost);
  std::printf("rank %d: %f s, %d calls, last %f\n", rank, taken, calls, result[count - 1]);
  cudaFree(in);
  cudaFree(sum);
  cudaStreamDestroy(stream);
  MPI_Finalize();
  return calls == 1 ? 0 : 1;  // What its author expected.
}
