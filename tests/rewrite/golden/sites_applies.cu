// A call keeps its arguments and its place; a kernel named after the site stands for it.
// expect: // s1 ncclAllGather: lsa/deferred/barrier/cta/whole
// expect: static __global__ void s1_all_gather(device_comm::Endpoint here, device_comm::Exchange work) {
// expect:   device_comm::exchange<device_comm::Lsa>(here, work);
// expect: __global__ void s2_all_reduce(device_comm::Endpoint here, device_comm::Reduction work) {
// expect:   if (type == ncclFloat) return s2_all_reduce<float>;
// expect: CHECK(device_comm::all_gather({s1_all_gather, 1, device_comm::Reach::Lsa}, part, whole, 256, ncclFloat, comm, nullptr));
// expect: CHECK(device_comm::all_reduce({s2_all_reduce_for, 1, device_comm::Reach::Lsa}, part, part, 256, ncclFloat, ncclSum, comm, nullptr));
// expect-not: (ncclAllGather(
#include "support.h"

__global__ void fill(float* data, float value) { data[threadIdx.x] = value + threadIdx.x; }

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  float *part, *whole;
  CHECK(cudaMalloc(&part, 256 * sizeof(float)));
  CHECK(cudaMalloc(&whole, 256 * sizeof(float) * self.count));
  fill<<<1, 256>>>(part, self.rank);
  CHECK(ncclAllGather(part, whole, 256, ncclFloat, comm, nullptr));
  CHECK(ncclAllReduce(part, part, 256, ncclFloat, ncclSum, comm, nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(ncclCommDestroy(comm));
}
