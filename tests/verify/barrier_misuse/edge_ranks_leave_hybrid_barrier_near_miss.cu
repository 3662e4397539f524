// In a pipeline over two nodes the last rank has one step less to do but comes to the barrier of every step.
// ranks: 4
// nodes: 2
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kSteps = 3;

__global__ void run_steps(ncclDevComm comm, int* done) {
  ncclGin gin{comm, 0};
  ncclBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), ncclTeamTagWorld(), gin, 0};
  bool is_last = comm.rank == comm.nRanks - 1;
  for (int step = 0; step < kSteps; step++) {
    if (threadIdx.x == 0 && !(is_last && step == kSteps - 1)) *done += 1;
    barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel, ncclGinFenceLevel::Relaxed);
  }
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  ncclDevCommRequirements requirements{};
  requirements.barrierCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  int* done;
  CHECK(cudaMalloc(&done, sizeof(int)));
  CHECK(cudaMemset(done, 0, sizeof(int)));
  run_steps<<<1, 32>>>(dev_comm, done);
  long wrong = download(done, 1)[0] != kSteps - (ranks.rank == ranks.count - 1);
  CHECK(cudaFree(done));
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return ranks.verdict(wrong);
}
