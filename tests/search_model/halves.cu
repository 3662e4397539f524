// Every rank squares its half, all ranks gather the halves, and each folds in work of its own that needs none of them.
// The baseline does one thing after the other.
#include <mpi.h>
#include <nccl.h>
#include <nccl_device.h>

#include <cstdio>
#include <cstdlib>

#include "cuco/harness.h"

void check(int code, const char* what) {
  if (code == 0) return;
  std::fprintf(stderr, "%s failed with %d\n", what, code);
  std::exit(1);
}

struct Job {
  int rank = 0, rank_count = 0;
  int count = 0;  // Of one rank.
  float* input = nullptr;
  float* half = nullptr;
  float* gathered = nullptr;
  float* own = nullptr;
  float* result = nullptr;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;

  int total() const { return count * rank_count; }
};

// EVOLVE-BLOCK-START
__global__ void square(const float* input, float* half, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) half[i] = input[i] * input[i];
}

__global__ void iterate(const float* input, float* own, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float x = input[i];
  for (int round = 0; round < 4000; round++) x = 0.5f * x + 0.25f;
  own[i] = x;
}

__global__ void fold(const float* gathered, const float* own, float* result, int count, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = gathered[i] + own[i % count];
}
// EVOLVE-BLOCK-END

void step(Job& job) {
  // EVOLVE-BLOCK-START
  square<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.half, job.count);
  ncclAllGather(job.half, job.gathered, job.count, ncclFloat, job.comm, job.stream);
  iterate<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.own, job.count);
  fold<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.own, job.result, job.count, job.total());
  cudaStreamSynchronize(job.stream);
  // EVOLVE-BLOCK-END
}

void connect(Job& job) {
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.rank_count);
  int device_count = 0;
  check(cudaGetDeviceCount(&device_count), "cudaGetDeviceCount");
  check(cudaSetDevice(job.rank % device_count), "cudaSetDevice");
  ncclUniqueId id;
  if (job.rank == 0) check(ncclGetUniqueId(&id), "ncclGetUniqueId");
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  check(ncclCommInitRank(&job.comm, job.rank_count, id, job.rank), "ncclCommInitRank");
  check(cudaStreamCreate(&job.stream), "cudaStreamCreate");
}

// Window memory, so that candidates may register it.
float* allocate(int count) {
  void* memory = nullptr;
  check(ncclMemAlloc(&memory, count * sizeof(float)), "ncclMemAlloc");
  return static_cast<float*>(memory);
}

void release(Job& job) {
  for (float* memory : {job.input, job.half, job.gathered, job.own, job.result})
    check(ncclMemFree(memory), "ncclMemFree");
  check(cudaStreamDestroy(job.stream), "cudaStreamDestroy");
  check(ncclCommDestroy(job.comm), "ncclCommDestroy");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Job job;
  connect(job);
  cuco::Harness harness(job.rank, job.rank_count, argc, argv);
  job.count = static_cast<int>(harness.parameter("count", 4096));
  job.input = allocate(job.count);
  job.half = allocate(job.count);
  job.gathered = allocate(job.total());
  job.own = allocate(job.count);
  job.result = allocate(job.total());
  harness.input("input", job.input, job.count, cuco::uniform(-1, 1));
  harness.scratch("half", job.half, job.count);
  harness.scratch("gathered", job.gathered, job.total());
  harness.scratch("own", job.own, job.count);
  harness.output("result", job.result, job.total(), cuco::within(1e-5, 1e-5));
  harness.run([&] { step(job); });
  release(job);
  MPI_Finalize();
}
