// Only the first warp calls a wait that is declared for the whole block; its barriers pair with the others' next one.
// ranks: 2
// nodes: 2
// expect-finding: barrier_misuse
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kElements = 512;
constexpr size_t kBytes = kElements * sizeof(int);

__global__ void swap_halves(ncclDevComm comm, ncclWindow_t window, int* out) {
  ncclGin gin{comm, 0};
  gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, kBytes, window, 0, kBytes, ncclGin_SignalInc{0}, ncclGin_None{},
          ncclCoopCta());
  if (threadIdx.x < 32) gin.waitSignal(ncclCoopCta(), 0, 1);  // FAULT
  __syncthreads();                                            // FAULT
  auto* got = static_cast<int*>(ncclGetLocalPointer(window, kBytes));
  for (int i = threadIdx.x; i < kElements; i += blockDim.x) out[i] = got[kElements - 1 - i];
  gin.flush(ncclCoopCta());  // FAULT
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, 2 * kBytes);
    ncclDevCommRequirements requirements{};
    requirements.ginSignalCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    std::vector<int> values(kElements);
    for (int i = 0; i < kElements; i++) values[i] = ranks.rank * 1000 + i;
    upload(reinterpret_cast<int*>(window.base), values);
    int* out;
    CHECK(cudaMalloc(&out, kBytes));
    swap_halves<<<1, 128>>>(dev_comm, window.handle, out);
    std::vector<int> got = download(out, kElements);
    for (int i = 0; i < kElements; i++) wrong += got[i] != (1 - ranks.rank) * 1000 + kElements - 1 - i;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(cudaFree(out));
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
