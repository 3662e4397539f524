// The low-latency all-to-all session: two epochs of small messages.
// ranks: 3
// expect: ok
// expect: rank 2: 0 wrong
#include <nccl_device.h>

#include "support.h"

__global__ void exchange(ncclDevComm comm, ncclLLA2AHandle handle, int* out) {
  ncclTeam team = ncclTeamLsa(comm);
  ncclLLA2ASession<ncclCoopCta> session(ncclCoopCta(), comm, team, handle, 0, team.nRanks);
  for (int epoch = 0; epoch < 2; epoch++) {
    int peer = threadIdx.x;
    if (peer < team.nRanks) {
      session.send(peer, team.rank, static_cast<int>(epoch * 1000 + team.rank * 10 + peer));
      out[epoch * team.nRanks + peer] = session.recv<int>(peer);
    }
    session.endEpoch(ncclCoopCta());
  }
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  ncclLLA2AHandle handle;
  ncclDevResourceRequirements resource;
  CHECK(ncclLLA2ACreateRequirement(1, ncclLLA2ACalcSlots(ranks.count, sizeof(int)), &handle, &resource));
  ncclDevCommRequirements requirements{};
  requirements.resourceRequirementsList = &resource;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  int* out;
  CHECK(cudaMalloc(&out, 2 * ranks.count * sizeof(int)));
  exchange<<<1, 32>>>(dev_comm, handle, out);
  std::vector<int> got = download(out, 2 * ranks.count);
  long wrong = 0;
  for (int i = 0; i < 2 * ranks.count; i++)
    wrong += got[i] != i / ranks.count * 1000 + i % ranks.count * 10 + ranks.rank;
  CHECK(cudaFree(out));
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return ranks.verdict(wrong);
}
