// All calls that move data, one of each, on disjoint parts of two buffers.
// expect: site s1 ncclAllGather send=a recv=b count=n type=ncclFloat comm=comm stream=s
// expect: site s2 ncclAllReduce send=b recv=a count=n type=ncclFloat comm=comm stream=s op=ncclSum
// expect: site s3 ncclReduceScatter send=a recv=b count=n type=ncclFloat comm=comm stream=s op=ncclProd
// expect: site s4 ncclBroadcast send=b recv=a count=n type=ncclFloat comm=comm stream=s peer=1
// expect: site s5 ncclBcast send=a recv=a count=n type=ncclFloat comm=comm stream=s peer=0 in-place
// expect: site s6 ncclReduce send=a recv=b count=n type=ncclFloat comm=comm stream=s op=ncclMin peer=0
// expect: site s7 ncclAlltoAll send=b recv=a count=n type=ncclFloat comm=comm stream=s
// expect: site s8 ncclGather send=a recv=b count=n type=ncclFloat comm=comm stream=s peer=0
// expect: site s9 ncclScatter send=b recv=a count=n type=ncclFloat comm=comm stream=s peer=0
// expect: site s10 ncclSend send=a recv=none count=n type=ncclFloat comm=comm stream=s peer=1 - rank
// expect: site s11 ncclRecv send=none recv=b count=n type=ncclFloat comm=comm stream=s peer=1 - rank
// expect-count: 11 site s
// expect: group s10 pairwise
// expect: group s9 none
// expect: producer s2 ncclAllGather b
// expect: producer s4 ncclReduceScatter b
// expect: producer s5 ncclBroadcast a
// expect-not: overlap s5 ncclBroadcast
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

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
  const size_t n = 1 << 16;
  float *a, *b;
  cudaMalloc(&a, ranks * n * sizeof(float));
  cudaMalloc(&b, ranks * n * sizeof(float));
  cudaStream_t s;
  cudaStreamCreate(&s);
  ncclAllGather(a, b, n, ncclFloat, comm, s);
  ncclAllReduce(b, a, n, ncclFloat, ncclSum, comm, s);
  ncclReduceScatter(a, b, n, ncclFloat, ncclProd, comm, s);
  ncclBroadcast(b, a, n, ncclFloat, 1, comm, s);
  ncclBcast(a, n, ncclFloat, 0, comm, s);
  ncclReduce(a, b, n, ncclFloat, ncclMin, 0, comm, s);
  ncclAlltoAll(b, a, n, ncclFloat, comm, s);
  ncclGather(a, b, n, ncclFloat, 0, comm, s);
  ncclScatter(b, a, n, ncclFloat, 0, comm, s);
  ncclGroupStart();
  ncclSend(a, n, ncclFloat, 1 - rank, comm, s);
  ncclRecv(b, n, ncclFloat, 1 - rank, comm, s);
  ncclGroupEnd();
  cudaStreamSynchronize(s);
  MPI_Finalize();
}
