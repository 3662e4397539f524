// What NCCL 2.30 adds to the device side: a get, a VA signal, strong and weak signals, and the requirements' initialiser.
// ranks: 2
// nodes: 2
// define: CUCO_NCCL_VERSION=23007
// expect: ok
// expect: rank 0: 0 wrong
// expect: rank 1: 0 wrong
#include <nccl_device.h>

#include "support.h"

static_assert(NCCL_VERSION_CODE >= NCCL_VERSION(2, 30, 0), "built for 2.30");

constexpr int kCount = 512;
constexpr size_t kBytes = kCount * sizeof(int);
// The window: what to send, what was put, what was got, and the word of the signal.
constexpr size_t kPut = kBytes, kGot = 2 * kBytes, kSignal = 3 * kBytes;

__global__ void exchange(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin(comm, 0);
  ncclTeam world = ncclTeamWorld(comm);
  int peer = 1 - comm.rank;
  gin.put(world, peer, window, kPut, window, 0, kBytes, ncclGin_StrongVASignalInc{window, kSignal},
          ncclGin_WeakCounterInc{0}, ncclCoopCta());
  gin.waitSignal(ncclCoopCta(), window, kSignal, 1);
  gin.waitCounter(ncclCoopCta(), 0, 1);
  gin.get(world, peer, window, 0, window, kGot, kBytes, ncclCoopCta());
  gin.flush(ncclCoopCta());
  gin.signal(world, peer, ncclGin_StrongSignalAdd{0, 3}, ncclCoopCta());
  gin.waitSignal(ncclCoopCta(), 0, 3);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  int version = 0;
  CHECK(ncclGetVersion(&version));
  wrong += version != NCCL_VERSION_CODE;
  ncclCommProperties_t properties = NCCL_COMM_PROPERTIES_INITIALIZER;
  CHECK(ncclCommQueryProperties(ranks.comm, &properties));
  wrong += properties.nRanks != ranks.count || !properties.deviceApiSupport;
  Window window(ranks.comm, 4 * kBytes, NCCL_WIN_COLL_SYMMETRIC | NCCL_WIN_STRICT_ORDERING);
  std::vector<int> mine(kCount);
  for (int i = 0; i < kCount; i++) mine[i] = ranks.rank * 1000 + i;
  CHECK(cudaMemset(window.base, 0, 4 * kBytes));
  upload(reinterpret_cast<int*>(window.base), mine);
  MPI_Barrier(MPI_COMM_WORLD);

  ncclDevCommRequirements_t requirements = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
  requirements.ginSignalCount = 1;
  requirements.ginCounterCount = 1;
  ncclDevComm_t device_comm;
  wrong += ncclDevCommCreate(ranks.comm, &requirements, &device_comm) != ncclInvalidArgument;
  requirements.ginConnectionType = NCCL_GIN_CONNECTION_FULL;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &device_comm));
  exchange<<<1, 128>>>(device_comm, window.handle);
  CHECK(cudaDeviceSynchronize());
  for (size_t part : {kPut, kGot}) {
    std::vector<int> got = download(reinterpret_cast<int*>(window.base + part), kCount);
    for (int i = 0; i < kCount; i++) wrong += got[i] != (1 - ranks.rank) * 1000 + i;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &device_comm));
  return ranks.verdict(wrong);
}
