// stranger: top-k over a sharded array: CUB sorts the scores of a shard, k candidates of each are gathered and sorted once more
// nvcc: --extended-lambda
// ranks: 4
// arguments: 300 5
// expect-output: top-k identical to reference
// convert: lsa gin
// share: all
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CubDebugStop(x) do { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)
#define NcclStop(x) do { ncclResult_t e = (x); if (e != ncclSuccess) { fprintf(stderr, "%s\n", ncclGetErrorString(e)); exit(1); } } while (0)

constexpr int BLOCK_THREADS = 64;

__global__ void score(float* scores, int* items, int count, int first) {
  int i = blockIdx.x * BLOCK_THREADS + threadIdx.x;
  if (i < count) {
    items[i] = first + i;
    scores[i] = (float)(((first + i) * 7919u) % 100003u);
  }
}

__global__ void best_score(const float* scores, int count, float* out) {
  using BlockReduce = cub::BlockReduce<float, BLOCK_THREADS>;
  __shared__ typename BlockReduce::TempStorage storage;
  float best = -1.0f;
  for (int i = threadIdx.x; i < count; i += BLOCK_THREADS) best = fmaxf(best, scores[i]);
  best = BlockReduce(storage).Reduce(best, [] __device__(float a, float b) { return a > b ? a : b; });
  if (threadIdx.x == 0) *out = best;
}

class PairSorter {
 public:
  explicit PairSorter(int count) : count_(count) {
    CubDebugStop(cub::DeviceRadixSort::SortPairsDescending(nullptr, bytes_, (float*)nullptr, (float*)nullptr, (int*)nullptr, (int*)nullptr, count));
    CubDebugStop(cudaMalloc(&temp_, bytes_));
  }
  ~PairSorter() { cudaFree(temp_); }
  void operator()(const float* k_in, float* k_out, const int* v_in, int* v_out, cudaStream_t stream) {
    CubDebugStop(cub::DeviceRadixSort::SortPairsDescending(temp_, bytes_, k_in, k_out, v_in, v_out, count_, 0, 32, stream));
  }

 private:
  int count_;
  void* temp_ = nullptr;
  size_t bytes_ = 0;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int n = argc > 1 ? atoi(argv[1]) : 1 << 20, k = argc > 2 ? atoi(argv[2]) : 64;
  CubDebugStop(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) NcclStop(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  NcclStop(ncclCommInitRank(&comm, size, id, rank));
  cudaStream_t stream;
  CubDebugStop(cudaStreamCreate(&stream));

  float *scores, *sorted, *all_scores, *final_scores, *best;
  int *items, *sorted_items, *all_items, *final_items;
  CubDebugStop(cudaMalloc(&scores, n * sizeof(float)));
  CubDebugStop(cudaMalloc(&sorted, n * sizeof(float)));
  CubDebugStop(cudaMalloc(&items, n * sizeof(int)));
  CubDebugStop(cudaMalloc(&sorted_items, n * sizeof(int)));
  CubDebugStop(cudaMalloc(&all_scores, k * size * sizeof(float)));
  CubDebugStop(cudaMalloc(&final_scores, k * size * sizeof(float)));
  CubDebugStop(cudaMalloc(&all_items, k * size * sizeof(int)));
  CubDebugStop(cudaMalloc(&final_items, k * size * sizeof(int)));
  CubDebugStop(cudaMalloc(&best, sizeof(float)));
  {
    PairSorter local(n), global(k * size);
    score<<<(n + BLOCK_THREADS - 1) / BLOCK_THREADS, BLOCK_THREADS, 0, stream>>>(scores, items, n, rank * n);
    local(scores, sorted, items, sorted_items, stream);
    NcclStop(ncclGroupStart());
    NcclStop(ncclAllGather(sorted, all_scores, k, ncclFloat, comm, stream));
    NcclStop(ncclAllGather(sorted_items, all_items, k, ncclInt, comm, stream));
    NcclStop(ncclGroupEnd());
    global(all_scores, final_scores, all_items, final_items, stream);
    best_score<<<1, BLOCK_THREADS, 0, stream>>>(final_scores, k, best);
    CubDebugStop(cudaStreamSynchronize(stream));
  }

  std::vector<float> got(k), want(n * size);
  float top;
  CubDebugStop(cudaMemcpy(got.data(), final_scores, k * sizeof(float), cudaMemcpyDeviceToHost));
  CubDebugStop(cudaMemcpy(&top, best, sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n * size; i++) want[i] = (float)((i * 7919u) % 100003u);
  std::partial_sort(want.begin(), want.begin() + k, want.end(), [](float a, float b) { return a > b; });
  bool same = std::equal(got.begin(), got.end(), want.begin()) && top == want[0];
  if (rank == 0) printf("top-k %s to reference\n", same ? "identical" : "NOT identical");
  for (void* p : {(void*)scores, (void*)sorted, (void*)items, (void*)sorted_items, (void*)all_scores, (void*)final_scores, (void*)all_items,
                  (void*)final_items, (void*)best})
    cudaFree(p);
  cudaStreamDestroy(stream);
  ncclCommDestroy(comm);
  MPI_Finalize();
  return same ? 0 : 1;
}
