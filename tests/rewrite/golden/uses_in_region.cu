// The harness calls its region again and again: work before the site comes after the exchange of the call before.
// plan: s1 lsa/stream/flag/cta/whole
// plan: schedule streams=1
// expect: device_comm::before(stream, {device_comm::writes(part)});\n    fill<<<1, 256, 0, stream>>>(part, 2);\n    device_comm::after(stream, {device_comm::writes(part)});
// expect: CHECK(device_comm::all_gather({s1_all_gather, 1, device_comm::Reach::Lsa, {device_comm::Placement::Stream, 0, true}}, part,
// expect: device_comm::await_all();\n    CHECK(cudaStreamSynchronize(stream));
#include "cuco/harness.h"
#include "support.h"

__global__ void fill(float* data, float value) { data[threadIdx.x] = value + threadIdx.x; }

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  cuco::Harness harness(self.rank, self.count, argc, argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  float *part, *whole;
  CHECK(cudaMalloc(&part, 256 * sizeof(float)));
  CHECK(cudaMalloc(&whole, 256 * sizeof(float) * self.count));
  harness.output("whole", whole, 256 * self.count, cuco::exact());
  harness.run([&] {
    fill<<<1, 256, 0, stream>>>(part, 2);
    CHECK(ncclAllGather(part, whole, 256, ncclFloat, comm, stream));
    CHECK(cudaStreamSynchronize(stream));
  });
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
