// stranger: breadth-first search: frontiers of different lengths are gathered by one broadcast per rank inside a group
// ranks: 4
// arguments: 96
// expect-output: levels agree with the host: yes
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <vector>

#define CUDA_TRY(x) do { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "%s -> %s\n", #x, cudaGetErrorString(e)); MPI_Abort(MPI_COMM_WORLD, 1); } } while (0)
#define NCCL_TRY(x) do { ncclResult_t e = (x); if (e != ncclSuccess) { fprintf(stderr, "%s -> %s\n", #x, ncclGetErrorString(e)); MPI_Abort(MPI_COMM_WORLD, 1); } } while (0)

// A vertex v has edges to v/2, 2v+1 and v+7, all modulo n.
__host__ __device__ inline int neighbour(int v, int which, int n) { return which == 0 ? v / 2 : which == 1 ? (2 * v + 1) % n : (v + 7) % n; }

// Looks at the whole frontier; a rank marks and collects the vertices that it owns.
__global__ void expand(const int* frontier, int size, int* level, int depth, int* next, int* next_size, int first, int owned, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  for (int which = 0; which < 3; which++) {
    int to = neighbour(frontier[i], which, n) - first;
    if (to >= 0 && to < owned && atomicCAS(&level[to], -1, depth) == -1) next[atomicAdd(next_size, 1)] = first + to;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int n = argc > 1 ? atoi(argv[1]) : 1 << 18;
  int owned = n / size, first = rank * owned;
  CUDA_TRY(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) NCCL_TRY(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  NCCL_TRY(ncclCommInitRank(&comm, size, id, rank));
  cudaStream_t stream;
  CUDA_TRY(cudaStreamCreate(&stream));

  int *level, *frontier, *next, *next_size, *sizes;
  CUDA_TRY(cudaMalloc(&level, owned * sizeof(int)));
  CUDA_TRY(cudaMalloc(&frontier, n * sizeof(int)));
  CUDA_TRY(cudaMalloc(&next, owned * sizeof(int)));
  CUDA_TRY(cudaMalloc(&next_size, sizeof(int)));
  CUDA_TRY(cudaMalloc(&sizes, size * sizeof(int)));
  CUDA_TRY(cudaMemset(level, 0xff, owned * sizeof(int)));
  int root = 0, zero = 0, total = 1;
  CUDA_TRY(cudaMemcpy(frontier, &root, sizeof(int), cudaMemcpyHostToDevice));
  if (rank == 0) CUDA_TRY(cudaMemcpy(level, &zero, sizeof(int), cudaMemcpyHostToDevice));

  std::vector<int> counts(size);
  double begin = MPI_Wtime();
  for (int depth = 1; total > 0; depth++) {
    CUDA_TRY(cudaMemsetAsync(next_size, 0, sizeof(int), stream));
    expand<<<(total + 63) / 64, 64, 0, stream>>>(frontier, total, level, depth, next, next_size, first, owned, n);
    NCCL_TRY(ncclAllGather(next_size, sizes, 1, ncclInt, comm, stream));
    CUDA_TRY(cudaMemcpyAsync(counts.data(), sizes, size * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CUDA_TRY(cudaStreamSynchronize(stream));
    total = 0;
    NCCL_TRY(ncclGroupStart());
    for (int p = 0; p < size; p++) {
      if (counts[p] > 0) NCCL_TRY(ncclBroadcast(next, frontier + total, counts[p], ncclInt, p, comm, stream));
      total += counts[p];
    }
    NCCL_TRY(ncclGroupEnd());
  }
  CUDA_TRY(cudaStreamSynchronize(stream));
  double took = MPI_Wtime() - begin;

  std::vector<int> want(n, -1), got(owned);
  std::queue<int> todo({0});
  want[0] = 0;
  while (!todo.empty()) {
    int v = todo.front();
    todo.pop();
    for (int which = 0; which < 3; which++) {
      int to = neighbour(v, which, n);
      if (want[to] < 0) want[to] = want[v] + 1, todo.push(to);
    }
  }
  CUDA_TRY(cudaMemcpy(got.data(), level, owned * sizeof(int), cudaMemcpyDeviceToHost));
  int good = std::equal(got.begin(), got.end(), want.begin() + first), all;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) printf("%.3f ms, levels agree with the host: %s\n", 1e3 * took, all ? "yes" : "no");
  for (int* p : {level, frontier, next, next_size, sizes}) CUDA_TRY(cudaFree(p));
  CUDA_TRY(cudaStreamDestroy(stream));
  NCCL_TRY(ncclCommDestroy(comm));
  MPI_Finalize();
  return all ? 0 : 1;
}
