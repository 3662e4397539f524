// Context-parallel attention over a ring. Every rank keeps its own queries; blocks of keys and values travel from rank
// to rank until each rank has attended to all of them. While one block is attended to, it is already on its way to the
// next rank and the following block arrives in the other buffer. Run it with mpirun, one GPU a rank.
// expect: site s1 ncclSend send=kv_current recv=none count=kKvCount type=ncclFloat comm=comm stream=copy peer=next
// expect: site s2 ncclRecv send=none recv=kv_next count=kKvCount type=ncclFloat comm=comm stream=copy peer=previous
// expect: group s1 ring
// expect: loop s1 iterations
// expect: operation ncclSend in main loop=step=0;< ranks;+1 if step + 1 < ranks
// expect: producer s1 ncclRecv kv_next carried
// expect: consumer s2 attend kv_next carried
// expect: consumer s2 attend kv_current carried
// expect: overlap s1 attend
// expect: overlap s2 attend
// expect-not: overlap s1 normalise
// expect-not: unordered
// expect-not: warning
// expect: kernel attend q:read kv:read out:read_write row_max:read_write row_sum:read_write
// expect: launch attend grid=kRows / kThreads block=kThreads shared=0 stream=compute
// expect: convertible s1 yes
// expect: convertible s2 yes
// expect-count: 2 window
// expect: region events
// expect: output out
#include <cuda_runtime.h>
#include <math.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>

#include <utility>
#include <vector>

constexpr int kRows = 4096;  // Queries of a rank, and keys and values of a block.
constexpr int kHeadDim = 64;
constexpr int kThreads = 128;
constexpr size_t kKvCount = 2ul * kRows * kHeadDim;  // Keys, then values.

__global__ void fill(float* data, size_t count, int rank) {
  size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < count) data[i] = __sinf(0.01f * i + rank);
}

// One thread a query, with the running maximum and sum that let softmax be taken block by block.
__global__ void __launch_bounds__(kThreads)
    attend(const float* q, const float* kv, float* out, float* row_max, float* row_sum) {
  __shared__ float tile[2][kHeadDim];
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float best = row_max[row], sum = row_sum[row];
  for (int key = 0; key < kRows; ++key) {
    int half = threadIdx.x / kHeadDim, dim = threadIdx.x % kHeadDim;
    tile[half][dim] = kv[(half * kRows + key) * kHeadDim + dim];
    __syncthreads();
    float score = 0;
    for (int d = 0; d < kHeadDim; ++d) score += q[row * kHeadDim + d] * tile[0][d];
    float higher = fmaxf(best, score), shrink = __expf(best - higher), weight = __expf(score - higher);
    for (int d = 0; d < kHeadDim; ++d) out[row * kHeadDim + d] = out[row * kHeadDim + d] * shrink + weight * tile[1][d];
    sum = sum * shrink + weight;
    best = higher;
    __syncthreads();
  }
  row_max[row] = best;
  row_sum[row] = sum;
}

__global__ void normalise(float* out, const float* row_sum) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  for (int d = 0; d < kHeadDim; ++d) out[row * kHeadDim + d] /= row_sum[row];
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  cudaSetDevice(rank);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);

  float *q, *kv_current, *kv_next, *out, *row_max, *row_sum;
  cudaMalloc(&q, kRows * kHeadDim * sizeof(float));
  cudaMalloc(&kv_current, kKvCount * sizeof(float));
  cudaMalloc(&kv_next, kKvCount * sizeof(float));
  cudaMalloc(&out, kRows * kHeadDim * sizeof(float));
  cudaMalloc(&row_max, kRows * sizeof(float));
  cudaMalloc(&row_sum, kRows * sizeof(float));
  cudaStream_t compute, copy;
  cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking);
  cudaEvent_t start, stop, arrived, attended;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&attended, cudaEventDisableTiming);

  fill<<<kRows * kHeadDim / 256, 256, 0, compute>>>(q, kRows * kHeadDim, rank);
  fill<<<kKvCount / 256, 256, 0, compute>>>(kv_current, kKvCount, rank);
  cudaMemsetAsync(out, 0, kRows * kHeadDim * sizeof(float), compute);
  cudaMemsetAsync(row_max, 0, kRows * sizeof(float), compute);
  cudaMemsetAsync(row_sum, 0, kRows * sizeof(float), compute);
  cudaDeviceSynchronize();
  MPI_Barrier(MPI_COMM_WORLD);

  int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  cudaEventRecord(start, compute);
  for (int step = 0; step < ranks; ++step) {
    if (step + 1 < ranks) {
      // The block that arrives replaces the one that was attended to in the step before.
      cudaStreamWaitEvent(copy, attended, 0);
      ncclGroupStart();
      ncclSend(kv_current, kKvCount, ncclFloat, next, comm, copy);
      ncclRecv(kv_next, kKvCount, ncclFloat, previous, comm, copy);
      ncclGroupEnd();
    }
    attend<<<kRows / kThreads, kThreads, 0, compute>>>(q, kv_current, out, row_max, row_sum);
    cudaEventRecord(attended, compute);
    cudaEventRecord(arrived, copy);
    cudaStreamWaitEvent(compute, arrived, 0);
    std::swap(kv_current, kv_next);
  }
  normalise<<<kRows / kThreads, kThreads, 0, compute>>>(out, row_sum);
  cudaEventRecord(stop, compute);
  cudaEventSynchronize(stop);

  float milliseconds;
  cudaEventElapsedTime(&milliseconds, start, stop);
  std::vector<float> result(kRows * kHeadDim);
  cudaMemcpy(result.data(), out, result.size() * sizeof(float), cudaMemcpyDeviceToHost);
  printf("rank %d: %.3f ms, first element %g\n", rank, milliseconds, result[0]);
  for (float* buffer : {q, kv_current, kv_next, out, row_max, row_sum}) cudaFree(buffer);
  ncclCommDestroy(comm);
  MPI_Finalize();
}
