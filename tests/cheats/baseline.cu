// What the cheats claim to compute: every rank scales its part, all ranks gather the parts, each smooths the whole.
#include <mpi.h>
#include <nccl.h>
#include <nccl_device.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

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
  float* part = nullptr;
  float* gathered = nullptr;
  float* result = nullptr;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;

  int total() const { return count * rank_count; }
};

// EVOLVE-BLOCK-START
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}

__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
// EVOLVE-BLOCK-END

void step(Job& job) {
  // EVOLVE-BLOCK-START
  scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
  ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
  smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
  cudaStreamSynchronize(job.stream);
  // EVOLVE-BLOCK-END
}

void connect(Job& job) {
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.rank_count);
  int device_count = 0;  // Of the node.
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
  for (float* memory : {job.input, job.part, job.gathered, job.result}) check(ncclMemFree(memory), "ncclMemFree");
  check(cudaStreamDestroy(job.stream), "cudaStreamDestroy");
  check(ncclCommDestroy(job.comm), "ncclCommDestroy");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Job job;
  connect(job);
  cuco::Harness harness(job.rank, job.rank_count, argc, argv);
  job.count = static_cast<int>(harness.parameter("count", 256));
  job.input = allocate(job.count);
  job.part = allocate(job.count);
  job.gathered = allocate(job.total());
  job.result = allocate(job.total());
  harness.input("input", job.input, job.count, cuco::uniform(-1, 1));
  harness.scratch("part", job.part, job.count);
  harness.scratch("gathered", job.gathered, job.total());
  harness.output("result", job.result, job.total(), cuco::within(1e-5, 1e-5));
  harness.run([&] { step(job); });
  release(job);
  MPI_Finalize();
}
