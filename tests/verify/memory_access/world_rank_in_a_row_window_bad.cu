// A window of a row communicator is asked for the memory of a peer by its rank among all, which the row does not have.
// ranks: 4
// expect-finding: memory_access
#include <nccl_device.h>

#include "../../simulate/support.h"

__global__ void read_peer(ncclDevComm row, ncclWindow_t window, int world_rank, int* out) {
  ncclLsaBarrierSession<ncclCoopThread> barrier{ncclCoopThread(), row, ncclTeamTagLsa(), 0};
  barrier.sync(ncclCoopThread(), cuda::memory_order_acq_rel);
  int peer = world_rank ^ 1;  // FAULT
  *out = *static_cast<int*>(ncclGetPeerPointer(window, 0, peer));  // FAULT
  barrier.sync(ncclCoopThread(), cuda::memory_order_acq_rel);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  ncclComm_t row;
  CHECK(ncclCommSplit(ranks.comm, ranks.rank / 2, ranks.rank, &row, nullptr));
  long wrong = 0;
  {
    Window window(row, 4096);
    upload(reinterpret_cast<int*>(window.base), {ranks.rank});
    ncclDevCommRequirements requirements{};
    requirements.lsaBarrierCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(row, &requirements, &dev_comm));
    int* out;
    CHECK(cudaMalloc(&out, sizeof(int)));
    read_peer<<<1, 1>>>(dev_comm, window.handle, ranks.rank, out);
    wrong += download(out, 1)[0] != (ranks.rank ^ 1);
    CHECK(cudaFree(out));
    CHECK(ncclDevCommDestroy(row, &dev_comm));
  }
  CHECK(ncclCommDestroy(row));
  return ranks.verdict(wrong);
}
