// stranger: an exclusive scan over all ranks: CUB scans blocks, block sums are scanned, rank totals are gathered and added as offsets
// ranks: 4
// arguments: 500
// expect-output: scan verified on 4 ranks
// convert: lsa gin
// share: all
#include <cub/block/block_scan.cuh>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

using Value = long long;
constexpr int kBlock = 64;

#define ASSERT_OK(x) if ((x) != 0) { std::printf("%s:%d: %s\n", __FILE__, __LINE__, #x); std::abort(); }

__global__ void scan_blocks(const Value* in, Value* out, Value* sums, int n) {
  typedef cub::BlockScan<Value, kBlock> Scan;
  __shared__ typename Scan::TempStorage temp;
  const int i = blockIdx.x * kBlock + threadIdx.x;
  Value v = i < n ? in[i] : 0, prefix, total;
  Scan(temp).ExclusiveSum(v, prefix, total);
  if (i < n) out[i] = prefix;
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

__global__ void scan_sums(Value* sums, int blocks, Value* total) {
  Value running = 0;
  for (int b = 0; b < blocks; ++b) {
    Value v = sums[b];
    sums[b] = running;
    running += v;
  }
  *total = running;
}

__global__ void add_offsets(Value* out, const Value* sums, const Value* totals, int n, int rank) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;
  Value before = 0;
  for (int r = 0; r < rank; ++r) before += totals[r];
  out[i] += sums[blockIdx.x] + before;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 20, blocks = (n + kBlock - 1) / kBlock;
  ASSERT_OK(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) ASSERT_OK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ASSERT_OK(ncclCommInitRank(&comm, size, id, rank));
  cudaStream_t stream;
  ASSERT_OK(cudaStreamCreate(&stream));
  std::vector<Value> host(n);
  auto value = [](long i) { return (Value)(i % 13 - 3); };
  for (int i = 0; i < n; ++i) host[i] = value((long)rank * n + i);
  Value *in, *out, *sums, *totals;
  ASSERT_OK(cudaMalloc(&in, n * sizeof(Value)));
  ASSERT_OK(cudaMalloc(&out, n * sizeof(Value)));
  ASSERT_OK(cudaMalloc(&sums, blocks * sizeof(Value)));
  ASSERT_OK(cudaMalloc(&totals, size * sizeof(Value)));
  ASSERT_OK(cudaMemcpy(in, host.data(), n * sizeof(Value), cudaMemcpyHostToDevice));
  scan_blocks<<<blocks, kBlock, 0, stream>>>(in, out, sums, n);
  scan_sums<<<1, 1, 0, stream>>>(sums, blocks, totals + rank);
  // In place: each rank's total already lies where the gather puts it.
  ASSERT_OK(ncclAllGather(totals + rank, totals, 1, ncclInt64, comm, stream));
  add_offsets<<<blocks, kBlock, 0, stream>>>(out, sums, totals, n, rank);
  ASSERT_OK(cudaMemcpyAsync(host.data(), out, n * sizeof(Value), cudaMemcpyDeviceToHost, stream));
  ASSERT_OK(cudaStreamSynchronize(stream));
  Value running = 0;
  int bad = 0, all = 0;
  for (long i = 0; i < (long)(rank + 1) * n; ++i) {
    if (i >= (long)rank * n) bad += host[i - (long)rank * n] != running;
    running += value(i);
  }
  MPI_Reduce(&bad, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf(all ? "scan WRONG on %d ranks\n" : "scan verified on %d ranks\n", size);
  for (Value* p : {in, out, sums, totals}) ASSERT_OK(cudaFree(p));
  ASSERT_OK(cudaStreamDestroy(stream));
  ASSERT_OK(ncclCommDestroy(comm));
  MPI_Finalize();
  return bad ? 1 : 0;
}
