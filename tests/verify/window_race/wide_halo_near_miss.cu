// The put fills exactly the halo, next to cells that the receiver writes at the same time: no byte is shared.
// ranks: 2
// nodes: 2
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kHalo = 4;
constexpr int kInner = 124;
constexpr int kSent = kHalo;

__global__ void send_edge(ncclDevComm comm, ncclWindow_t edge, ncclWindow_t field) {
  ncclGin gin{comm, 0};
  gin.put(ncclTeamWorld(comm), 1 - comm.rank, field, 0, edge, 0, kSent * sizeof(float), ncclGin_SignalInc{0});
  gin.flush(ncclCoopThread());
}

__global__ void fill_inner(float* field, int rank) { field[kHalo + threadIdx.x] = rank + 0.5f * threadIdx.x; }

__global__ void wait_for_halo(ncclDevComm comm) { ncclGin{comm, 0}.waitSignal(ncclCoopThread(), 0, 1); }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const size_t cells = kHalo + kInner;
  Window edge(ranks.comm, (kHalo + 1) * sizeof(float)), field(ranks.comm, cells * sizeof(float));
  upload(reinterpret_cast<float*>(edge.base), std::vector<float>(kHalo + 1, 100.0f + ranks.rank));
  CHECK(cudaMemset(field.base, 0, cells * sizeof(float)));
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  send_edge<<<1, 1>>>(dev_comm, edge.handle, field.handle);
  fill_inner<<<1, kInner>>>(reinterpret_cast<float*>(field.base), ranks.rank);
  wait_for_halo<<<1, 1>>>(dev_comm);
  std::vector<float> got = download(reinterpret_cast<float*>(field.base), cells);
  long wrong = 0;
  for (int i = 0; i < kHalo; i++) wrong += got[i] != 101.0f - ranks.rank;
  for (int i = 0; i < kInner; i++) wrong += got[kHalo + i] != ranks.rank + 0.5f * i;
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return ranks.verdict(wrong);
}
