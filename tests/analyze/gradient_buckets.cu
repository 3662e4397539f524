// Data parallel training: gradients are summed bucket by bucket on a side stream while earlier layers still compute.
// expect: site s1 ncclAllReduce send=grads recv=grads count=kBucket type=ncclBfloat16 comm=comm stream=side op=ncclAvg in-place
// expect: loop s1 chunks
// expect: operation ncclAllReduce in main loop=layer=kLayers - 1;>= 0;-1
// expect: producer s1 backward grads
// expect: consumer s1 optimise grads
// expect: overlap s1 backward assumed other-iteration
// expect-not: overlap s1 optimise
// expect-not: unordered
// expect: in-region s1 yes
// expect: region events
// expect-not: in-region s2
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

constexpr int kLayers = 24;
constexpr size_t kBucket = 1 << 22;

__global__ void backward(__nv_bfloat16* bucket, int layer) {
  size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < kBucket) bucket[i] = __int2bfloat16_rn(layer);
}

__global__ void optimise(const __nv_bfloat16* grads, float* weights) {
  size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  weights[i] -= 1e-4f * __bfloat162float(grads[i]);
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
  __nv_bfloat16* grads;
  float* weights;
  cudaMalloc(&grads, kLayers * kBucket * sizeof(*grads));
  cudaMalloc(&weights, kLayers * kBucket * sizeof(*weights));
  cudaStream_t main_stream, side;
  cudaStreamCreateWithFlags(&main_stream, cudaStreamNonBlocking);
  cudaStreamCreateWithPriority(&side, cudaStreamNonBlocking, -1);
  cudaEvent_t start, stop, computed[kLayers], reduced;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventCreateWithFlags(&reduced, cudaEventDisableTiming);
  for (cudaEvent_t& event : computed) cudaEventCreateWithFlags(&event, cudaEventDisableTiming);

  cudaEventRecord(start, main_stream);
  for (int layer = kLayers - 1; layer >= 0; --layer) {
    __nv_bfloat16* bucket = grads + layer * kBucket;
    backward<<<kBucket / 256, 256, 0, main_stream>>>(bucket, layer);
    cudaEventRecord(computed[layer], main_stream);
    cudaStreamWaitEvent(side, computed[layer], 0);
    ncclAllReduce(bucket, bucket, kBucket, ncclBfloat16, ncclAvg, comm, side);
  }
  cudaEventRecord(reduced, side);
  cudaStreamWaitEvent(main_stream, reduced, 0);
  optimise<<<kLayers * kBucket / 256, 256, 0, main_stream>>>(grads, weights);
  cudaEventRecord(stop, main_stream);
  cudaEventSynchronize(stop);
  float ms;
  cudaEventElapsedTime(&ms, start, stop);
  MPI_Finalize();
}
