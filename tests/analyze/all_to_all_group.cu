// Matrix transpose over ranks: a send and a receive for every peer, all in one group.
// expect-count: 2 site s
// expect: site s1 ncclSend send=tiles recv=none count=tile type=ncclFloat comm=comm stream=stream peer=peer
// expect: site s2 ncclRecv send=none recv=columns count=tile type=ncclFloat comm=comm stream=stream peer=peer
// expect: loop s1 peers
// expect: loop s2 peers
// expect: group s1 all_to_all
// expect: group s2 all_to_all
// expect: operation ncclSend in main loop=peer=0;< ranks;+1
// expect: producer s1 cut_tiles tiles
// expect: consumer s2 transpose_tiles columns
// expect-not: overlap s1 ncclRecv
// expect-not: unordered
// expect: convertible s1 yes
// expect: convertible s2 yes
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

__global__ void cut_tiles(const float* rows, float* tiles, int width, int side) {
  int x = threadIdx.x, y = blockIdx.x, peer = blockIdx.y;
  tiles[(peer * side + y) * side + x] = rows[y * width + peer * side + x];
}

__global__ void transpose_tiles(const float* columns, float* result, int width, int side) {
  int x = threadIdx.x, y = blockIdx.x, peer = blockIdx.y;
  result[x * width + peer * side + y] = columns[(peer * side + y) * side + x];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  const int side = 512;
  const size_t tile = side * side;
  float *rows, *tiles, *columns, *result;
  cudaMalloc(&rows, ranks * tile * sizeof(float));
  cudaMalloc(&tiles, ranks * tile * sizeof(float));
  cudaMalloc(&columns, ranks * tile * sizeof(float));
  cudaMalloc(&result, ranks * tile * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);

  cut_tiles<<<dim3(side, ranks), side, 0, stream>>>(rows, tiles, ranks * side, side);
  ncclGroupStart();
  for (int peer = 0; peer < ranks; ++peer) {
    ncclSend(tiles + peer * tile, tile, ncclFloat, peer, comm, stream);
    ncclRecv(columns + peer * tile, tile, ncclFloat, peer, comm, stream);
  }
  ncclGroupEnd();
  transpose_tiles<<<dim3(side, ranks), side, 0, stream>>>(columns, result, ranks * side, side);
  cudaStreamSynchronize(stream);
  MPI_Finalize();
}
