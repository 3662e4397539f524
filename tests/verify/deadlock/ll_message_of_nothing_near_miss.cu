// The low-latency exchange sends to every peer, a zero where there is no work.
// ranks: 3
// expect: no findings
#include <nccl_device.h>

#include "../threads.h"

__global__ void exchange_counts(ncclDevComm comm, ncclLLA2AHandle handle, const int* counts, int* out) {
  ncclTeam team = ncclTeamLsa(comm);
  ncclLLA2ASession<ncclCoopCta> session(ncclCoopCta(), comm, team, handle, 0, team.nRanks);
  int peer = threadIdx.x;
  if (peer < team.nRanks) {
    session.send(peer, team.rank, counts[peer]);
    out[peer] = session.recv<int>(peer);
  }
  session.endEpoch(ncclCoopCta());
}

int run_rank(const Member& self) {
  ncclLLA2AHandle handle;
  ncclDevResourceRequirements resource;
  CHECK(ncclLLA2ACreateRequirement(1, ncclLLA2ACalcSlots(self.count, sizeof(int)), &handle, &resource));
  ncclDevCommRequirements requirements{};
  requirements.resourceRequirementsList = &resource;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(self.comm, &requirements, &dev_comm));
  std::vector<int> counts(self.count), got(self.count);
  for (int peer = 0; peer < self.count; peer++) counts[peer] = (self.rank + peer) % self.count;
  int *device_counts, *out;
  CHECK(cudaMalloc(&device_counts, self.count * sizeof(int)));
  CHECK(cudaMalloc(&out, self.count * sizeof(int)));
  CHECK(cudaMemcpy(device_counts, counts.data(), self.count * sizeof(int), cudaMemcpyHostToDevice));
  exchange_counts<<<1, 32>>>(dev_comm, handle, device_counts, out);
  CHECK(cudaMemcpy(got.data(), out, self.count * sizeof(int), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int peer = 0; peer < self.count; peer++) wrong += got[peer] != counts[peer];
  CHECK(cudaFree(out));
  CHECK(cudaFree(device_counts));
  CHECK(ncclDevCommDestroy(self.comm, &dev_comm));
  return wrong;
}

int main() { return run_as_threads(3, run_rank); }
