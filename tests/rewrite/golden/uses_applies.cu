// Work on what is in flight says so before and after itself, under a branch in braces of its own; an argument that is
// more than a name is evaluated once. Where the host looks, everything is awaited.
// plan: s1 lsa/stream/flag/cta/whole
// plan: schedule streams=1
// expect: cuco::comm::before(stream, {cuco::comm::writes(part)});\n    fill<<<1, 256, 0, stream>>>(part, round);\n    cuco::comm::after(stream, {cuco::comm::writes(part)});
// expect: CHECK(cuco::comm::all_gather(cuco::comm::lsa<1>.on_stream(0).by_message(), part,
// expect: if (round > 0)\n      {\n        auto&& argument_0 = whole + 256;
// expect: cuco::comm::before(stream, {cuco::comm::reads_at(argument_0)});
// expect: add<<<1, 256, 0, stream>>>(argument_0, sum);
// expect: cuco::comm::after(stream, {cuco::comm::reads_at(argument_0)});
// expect: cuco::comm::wait_all();\n  CHECK(cudaStreamSynchronize(stream));
#include "support.h"

__global__ void fill(float* data, float value) { data[threadIdx.x] = value + threadIdx.x; }
__global__ void add(const float* data, float* sum) { sum[threadIdx.x] += data[threadIdx.x]; }

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  float *part, *whole, *sum;
  CHECK(cudaMalloc(&part, 256 * sizeof(float)));
  CHECK(cudaMalloc(&whole, 256 * sizeof(float) * self.count));
  CHECK(cudaMalloc(&sum, 256 * sizeof(float)));
  for (int round = 0; round < 3; round++) {
    fill<<<1, 256, 0, stream>>>(part, round);
    CHECK(ncclAllGather(part, whole, 256, ncclFloat, comm, stream));
    if (round > 0)
      add<<<1, 256, 0, stream>>>(whole + 256, sum);
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(cudaFree(sum));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
