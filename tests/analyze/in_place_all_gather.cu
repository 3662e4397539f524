// Each rank fills its own slice of the table and gathers the others around it; next to it the same without overlap.
// expect: site s1 ncclAllGather send=table recv=table count=rows type=ncclInt64 comm=comm stream=stream in-place
// expect: site s2 ncclAllGather send=mine recv=copy count=rows type=ncclInt64 comm=comm stream=stream
// expect-count: 2 site s
// expect: producer s1 embed table
// expect: producer s2 embed mine
// expect: consumer s1 compare table
// expect: consumer s2 compare copy
// expect: kernel compare table:read copy:read differences:read_write
// expect-not: producer s2 ncclAllGather
// expect: ranks unknown
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdint.h>
#include <stdlib.h>

__global__ void embed(int64_t* slice, int rank, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) slice[i] = int64_t{rank} * rows + i;
}

__global__ void compare(const int64_t* table, const int64_t* copy, int* differences, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows && table[i] != copy[i]) atomicAdd(differences, 1);
}

int main(int argc, char** argv) {
  int rank = atoi(argv[1]), ranks = atoi(argv[2]), rows = 1 << 16;
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, ranks, id, rank);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int64_t *table, *mine, *copy;
  int* differences;
  cudaMalloc(&table, ranks * rows * sizeof(int64_t));
  cudaMalloc(&copy, ranks * rows * sizeof(int64_t));
  cudaMalloc(&mine, rows * sizeof(int64_t));
  cudaMalloc(&differences, sizeof(int));
  cudaMemsetAsync(differences, 0, sizeof(int), stream);
  embed<<<rows / 256, 256, 0, stream>>>(table + rank * rows, rank, rows);
  embed<<<rows / 256, 256, 0, stream>>>(mine, rank, rows);
  ncclAllGather(table + rank * rows, table, rows, ncclInt64, comm, stream);
  ncclAllGather(mine, copy, rows, ncclInt64, comm, stream);
  compare<<<rows / 256, 256, 0, stream>>>(table, copy, differences, rows);
  cudaStreamSynchronize(stream);
}
