// One function allocates all buffers: frees of those that are not communicated follow too, and those of others do not.
// expect: cudaError_t made = cuco::comm::allocate(data, 256 * sizeof(float));
// expect: CHECK(cuco::comm::release(part));
// expect: CHECK(cuco::comm::release(whole));
// expect: CHECK(cuco::comm::release(scratch));
// expect: CHECK(cudaFree(own));
#include "support.h"

__global__ void fill(float* data, float* scratch, float* own, float value) {
  scratch[threadIdx.x] = own[threadIdx.x] = value;
  data[threadIdx.x] = scratch[threadIdx.x] + threadIdx.x;
}

static float* floats() {
  float* memory = nullptr;
  float** data = &memory;
  cudaError_t made = cudaMalloc(data, 256 * sizeof(float));
  CHECK(made);
  return memory;
}

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  float *part = floats(), *whole = floats(), *scratch = floats(), *own;
  CHECK(cudaMalloc(&own, 256 * sizeof(float)));
  fill<<<1, 256>>>(part, scratch, own, self.rank);
  CHECK(ncclAllReduce(part, whole, 256, ncclFloat, ncclSum, comm, nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(cudaFree(scratch));
  CHECK(cudaFree(own));
  CHECK(ncclCommDestroy(comm));
}
