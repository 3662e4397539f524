// The rank's offset is in the pointer and again in the index, so the higher ranks store behind their peers' windows.
// ranks: 4
// expect-finding: memory_access
#include <mpi.h>
#include <nccl.h>
#include <nccl_device.h>

#include <cstdio>
#include <vector>

constexpr int kSlot = 96;

__global__ void broadcast_slot(ncclDevComm comm, ncclWindow_t window) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};
  for (int peer = 0; peer < comm.lsaSize; peer++) {
    void* target = ncclGetLsaPointer(window, comm.rank * kSlot * sizeof(int), peer);
    static_cast<int*>(target)[comm.rank * kSlot + threadIdx.x] = comm.rank * 1000 + threadIdx.x;  // FAULT
  }
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

struct Cluster {
  int rank, count;
  ncclComm_t comm;
  ncclDevComm dev_comm;
  int* memory;
  ncclWindow_t window;
};

void open(Cluster& cluster) {
  MPI_Comm_rank(MPI_COMM_WORLD, &cluster.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &cluster.count);
  cudaSetDevice(cluster.rank);
  ncclUniqueId id;
  if (cluster.rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclCommInitRank(&cluster.comm, cluster.count, id, cluster.rank);
  size_t bytes = cluster.count * kSlot * sizeof(int);
  ncclMemAlloc(reinterpret_cast<void**>(&cluster.memory), bytes);
  cudaMemset(cluster.memory, 0, bytes);
  cudaDeviceSynchronize();
  ncclCommWindowRegister(cluster.comm, cluster.memory, bytes, &cluster.window, NCCL_WIN_COLL_SYMMETRIC);
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 1;
  ncclDevCommCreate(cluster.comm, &requirements, &cluster.dev_comm);
  MPI_Barrier(MPI_COMM_WORLD);
}

void close(Cluster& cluster) {
  ncclDevCommDestroy(cluster.comm, &cluster.dev_comm);
  ncclCommWindowDeregister(cluster.comm, cluster.window);
  ncclMemFree(cluster.memory);
  ncclCommDestroy(cluster.comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Cluster cluster;
  open(cluster);
  broadcast_slot<<<1, kSlot>>>(cluster.dev_comm, cluster.window);
  std::vector<int> host(cluster.count * kSlot);
  cudaMemcpy(host.data(), cluster.memory, host.size() * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < cluster.count * kSlot; i++) wrong += host[i] != i / kSlot * 1000 + i % kSlot;
  std::printf("rank %d: %d wrong\n", cluster.rank, wrong);
  close(cluster);
  MPI_Finalize();
  return wrong != 0;
}
