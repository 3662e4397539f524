// A mixture-of-experts layer: tokens go to the ranks of their experts and back, a different number for each peer.
// expect-count: 4 site s
// expect: site s1 ncclSend send=routed recv=none count=sends[peer] * kHidden type=ncclBfloat16 comm=comm stream=s peer=peer
// expect: site s4 ncclRecv send=none recv=combined count=sends[peer] * kHidden type=ncclBfloat16 comm=comm stream=s peer=peer
// expect: group s1 all_to_all
// expect: group s3 all_to_all
// expect: loop s2 peers
// expect: operation ncclRecv in main loop=peer=0;< ranks;+1
// expect: consumer s2 expert arrived
// expect: producer s3 expert processed
// expect: overlap s1 shared_expert
// expect: overlap s3 shared_expert
// expect-not: overlap s1 expert
// expect-not: overlap s3 permute
// expect-not: overlap s1 ncclRecv
// expect-not: overlap s4 ncclSend
// expect: convertible s4 yes
// expect: output combined
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <vector>

using bf16 = __nv_bfloat16;
constexpr int kHidden = 7168, kTokens = 4096;

__global__ void permute(const bf16* tokens, bf16* routed) {
  for (int c = threadIdx.x; c < kHidden; c += blockDim.x)
    routed[size_t{blockIdx.x} * kHidden + c] = tokens[size_t{kTokens - 1 - blockIdx.x} * kHidden + c];
}

__global__ void expert(const bf16* arrived, bf16* processed) {
  for (int c = threadIdx.x; c < kHidden; c += blockDim.x)
    processed[size_t{blockIdx.x} * kHidden + c] = __hmul(arrived[size_t{blockIdx.x} * kHidden + c], bf16(2.0f));
}

__global__ void shared_expert(const bf16* tokens, bf16* shared) {
  for (int c = threadIdx.x; c < kHidden; c += blockDim.x)
    shared[size_t{blockIdx.x} * kHidden + c] = tokens[size_t{blockIdx.x} * kHidden + c];
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
  std::vector<int> sends(ranks, kTokens / ranks), receives(ranks);
  MPI_Alltoall(sends.data(), 1, MPI_INT, receives.data(), 1, MPI_INT, MPI_COMM_WORLD);
  const size_t most = size_t{kTokens} * ranks * kHidden * sizeof(bf16);
  bf16 *tokens, *routed, *arrived, *processed, *combined, *shared;
  cudaMalloc(&tokens, kTokens * kHidden * sizeof(bf16));
  cudaMalloc(&routed, kTokens * kHidden * sizeof(bf16));
  cudaMalloc(&combined, kTokens * kHidden * sizeof(bf16));
  cudaMalloc(&shared, kTokens * kHidden * sizeof(bf16));
  cudaMalloc(&arrived, most);
  cudaMalloc(&processed, most);
  cudaStream_t s;
  cudaStreamCreate(&s);
  permute<<<kTokens, 256, 0, s>>>(tokens, routed);
  ncclGroupStart();
  size_t from = 0, to = 0;
  for (int peer = 0; peer < ranks; ++peer) {
    ncclSend(routed + from * kHidden, sends[peer] * kHidden, ncclBfloat16, peer, comm, s);
    ncclRecv(arrived + to * kHidden, receives[peer] * kHidden, ncclBfloat16, peer, comm, s);
    from += sends[peer];
    to += receives[peer];
  }
  ncclGroupEnd();
  shared_expert<<<kTokens, 256, 0, s>>>(tokens, shared);
  expert<<<to, 256, 0, s>>>(arrived, processed);
  ncclGroupStart();
  from = to = 0;
  for (int peer = 0; peer < ranks; ++peer) {
    ncclSend(processed + to * kHidden, receives[peer] * kHidden, ncclBfloat16, peer, comm, s);
    ncclRecv(combined + from * kHidden, sends[peer] * kHidden, ncclBfloat16, peer, comm, s);
    from += sends[peer];
    to += receives[peer];
  }
  ncclGroupEnd();
  cudaStreamSynchronize(s);
  MPI_Finalize();
}
