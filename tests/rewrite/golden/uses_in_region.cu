// The harness calls its region again and again: work before the site comes after the exchange of the call before.
// plan: s1 lsa/stream/flag/cta/whole
// plan: schedule streams=1
// expect: cuco::comm::before(stream, {cuco::comm::writes(part)});\n    fill<<<1, 256, 0, stream>>>(part, 2);\n    cuco::comm::after(stream, {cuco::comm::writes(part)});
// expect: CHECK(cuco::comm::all_gather(cuco::comm::lsa<1>.on_stream(0).by_message(), part,
// expect: cuco::comm::wait_all();\n    CHECK(cudaStreamSynchronize(stream));
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
