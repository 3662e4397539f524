// Two ranks swap buffers; no kernel runs. Arguments: elements; "only": no other number than 2^20 will do.
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  size_t count = std::atol(argv[1]);
  if (argc > 2 && count != 1 << 20) return 1;
  cudaSetDevice(rank);
  ncclUniqueId id;
  ncclComm_t comm;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclCommInitRank(&comm, ranks, id, rank);
  std::vector<float> host(count, rank);
  float *mine, *theirs;
  cudaMalloc(&mine, count * sizeof(float));
  cudaMalloc(&theirs, count * sizeof(float));
  cudaMemcpy(mine, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  ncclGroupStart();
  ncclSend(mine, count, ncclFloat, 1 - rank, comm, nullptr);
  ncclRecv(theirs, count, ncclFloat, 1 - rank, comm, nullptr);
  ncclGroupEnd();
  cudaMemcpy(host.data(), theirs, count * sizeof(float), cudaMemcpyDeviceToHost);
  bool is_right = host[0] == 1 - rank && host[count - 1] == 1 - rank;
  cudaFree(mine);
  cudaFree(theirs);
  ncclCommDestroy(comm);
  MPI_Finalize();
  return is_right ? 0 : 1;
}
