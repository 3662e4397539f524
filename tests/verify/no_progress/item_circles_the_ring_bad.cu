// Items travel round the ring until their owner takes them; the owner is computed for four ranks and there are three.
// ranks: 3
// expect-finding: no_progress
#include <nccl_device.h>

#include "../../simulate/support.h"

// One slot a rank and parity; key -1 is an empty slot. `taken` counts the items that found their owner, by rank.
struct Mailbox {
  int key[2];
  int taken[2];
};

__device__ Mailbox* mailbox(ncclWindow_t window, int rank) {
  return static_cast<Mailbox*>(ncclGetLsaPointer(window, 0, rank));
}

__host__ __device__ int owner_of(int key, int) { return key & 3; }  // FAULT

__device__ int taken_by_all(ncclWindow_t window, int rank_count, int parity) {
  int taken = 0;
  for (int rank = 0; rank < rank_count; rank++) taken += mailbox(window, rank)->taken[parity];
  return taken;
}

// One thread a rank. Steps alternate between two slots, so a rank one step ahead overwrites nothing others still read.
__global__ void route(ncclDevComm comm, ncclWindow_t window, int key, int* received) {
  ncclLsaBarrierSession<ncclCoopThread> barrier{ncclCoopThread(), comm, ncclTeamTagLsa(), 0};
  int taken = 0;
  for (int step = 0, total = 0; total < comm.nRanks; step++) {  // FAULT
    if (key >= 0 && owner_of(key, comm.nRanks) == comm.rank) {
      received[taken++] = key;
      key = -1;
    }
    mailbox(window, comm.rank)->taken[step % 2] = taken;
    mailbox(window, (comm.rank + 1) % comm.nRanks)->key[step % 2] = key;
    barrier.sync(ncclCoopThread(), cuda::memory_order_acq_rel);  // FAULT
    key = mailbox(window, comm.rank)->key[step % 2];
    total = taken_by_all(window, comm.nRanks, step % 2);
  }
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, sizeof(Mailbox));
    ncclDevCommRequirements requirements{};
    requirements.lsaBarrierCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    int* received;
    CHECK(cudaMalloc(&received, ranks.count * sizeof(int)));
    CHECK(cudaMemset(received, 0xff, ranks.count * sizeof(int)));
    const int keys[] = {7, 5, 3};
    route<<<1, 1>>>(dev_comm, window.handle, keys[ranks.rank], received);
    CHECK(cudaDeviceSynchronize());
    long expected = 0, got = 0;
    for (int key : keys) expected += owner_of(key, ranks.count) == ranks.rank ? key : 0;
    for (int key : download(received, ranks.count)) got += key >= 0 ? key : 0;
    wrong = got != expected;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(cudaFree(received));
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
