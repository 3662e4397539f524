// Prefill computes keys and values layer by layer and hands each layer to the decode rank as soon as it is done.
// expect: site s1 ncclSend send=cache recv=none count=kLayer type=ncclHalf comm=comm stream=stream peer=1
// expect: site s2 ncclRecv send=none recv=cache count=kLayer type=ncclHalf comm=comm stream=stream peer=0
// expect: loop s1 chunks
// expect: loop s2 chunks
// expect: operation ncclSend in prefill loop=layer=0;< kLayers;+1 if rank == 0
// expect: operation decode_step in decode if !(rank == 0)
// expect: producer s1 project_kv cache
// expect: consumer s2 decode_step cache
// expect: overlap s1 project_kv assumed other-iteration
// expect-not: overlap s1 decode_step
// expect-not: producer s1 decode_step
// expect: convertible s1 yes
// expect-count: 1 window
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

constexpr int kLayers = 32;
constexpr size_t kLayer = 2048 * 512;

__global__ void project_kv(const __half* hidden, __half* cache, int layer) {
  size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < kLayer) cache[i] = __hmul(hidden[i], __int2half_rn(layer));
}

__global__ void decode_step(const __half* cache, __half* logits) {
  size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < kLayer) logits[i] = cache[(kLayers - 1) * kLayer + i];
}

static void prefill(const __half* hidden, __half* cache, ncclComm_t comm, cudaStream_t stream) {
  for (int layer = 0; layer < kLayers; ++layer) {
    __half* part = cache + layer * kLayer;
    project_kv<<<kLayer / 256, 256, 0, stream>>>(hidden, part, layer);
    ncclSend(part, kLayer, ncclHalf, 1, comm, stream);
  }
}

static void decode(__half* cache, __half* logits, ncclComm_t comm, cudaStream_t stream) {
  for (int layer = 0; layer < kLayers; ++layer) ncclRecv(cache + layer * kLayer, kLayer, ncclHalf, 0, comm, stream);
  decode_step<<<kLayer / 256, 256, 0, stream>>>(cache, logits);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, 2, id, rank);
  __half *hidden, *cache, *logits;
  cudaMalloc(&hidden, kLayer * sizeof(__half));
  cudaMalloc(&cache, kLayers * kLayer * sizeof(__half));
  cudaMalloc(&logits, kLayer * sizeof(__half));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  if (rank == 0)
    prefill(hidden, cache, comm, stream);
  else
    decode(cache, logits, comm, stream);
  cudaStreamSynchronize(stream);
  MPI_Finalize();
}
