// Two kernels that run at once have a signal each.
// ranks: 2
// nodes: 2
// expect: no findings
#include "../pair.h"

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int part, ncclGinSignal_t signal, int* sums) {
  ncclGin gin{comm, part};
  if (threadIdx.x == 0)
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, slot(16 + part), window, slot(part), kBytes,
            ncclGin_SignalInc{signal});
  gin.waitSignal(ncclCoopCta(), signal, 1);
  atomicAdd(&sums[threadIdx.x], numbers_at(window, 16 + part)[threadIdx.x]);
}

int main(int argc, char** argv) {
  ncclDevCommRequirements needs = requirements_of_pair();
  needs.ginContextCount = 1;
  Pair pair(&argc, &argv, NCCL_WIN_COLL_SYMMETRIC, needs);
  cudaStream_t streams[2];
  for (int part = 0; part < 2; part++) {
    CHECK(cudaStreamCreateWithFlags(&streams[part], cudaStreamNonBlocking));
    exchange<<<1, kCount, 0, streams[part]>>>(pair.dev_comm, pair.window.handle, part, part, pair.sums);
  }
  pair.meet();
  for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
}
