// stranger: a flaw: the output array is longer than what the kernel writes, and all of it is copied to the host
// ranks: 2
// arguments: 1000
// expect-output: prefix verified
// expect-finding: unwritten_read
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <iostream>
#include <vector>

#define CHECK(call)                                                     \
  do {                                                                  \
    auto status = (call);                                               \
    if (static_cast<int>(status) != 0) {                                \
      std::cerr << #call << " failed: " << static_cast<int>(status) << "\n"; \
      return 1;                                                         \
    }                                                                   \
  } while (0)

__global__ void iota(int* data, int n, int start) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = start + i;
}

// n / 128 blocks, rounded down: what is left over stays as it was.
__global__ void negate(const int* in, int* out) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = -in[i];
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  int rank, size;
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  CHECK(MPI_Comm_size(MPI_COMM_WORLD, &size));
  const int n = argc > 1 ? std::stoi(argv[1]) : 100000;
  CHECK(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) CHECK(ncclGetUniqueId(&id));
  CHECK(MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, size, id, rank));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  int *send, *recv, *out;
  CHECK(cudaMalloc(&send, n * sizeof(int)));
  CHECK(cudaMalloc(&recv, n * sizeof(int)));
  CHECK(cudaMalloc(&out, n * sizeof(int)));
  iota<<<(n + 127) / 128, 128, 0, stream>>>(send, n, rank * n);
  CHECK(ncclGroupStart());
  CHECK(ncclSend(send, n, ncclInt, (rank + 1) % size, comm, stream));
  CHECK(ncclRecv(recv, n, ncclInt, (rank + size - 1) % size, comm, stream));
  CHECK(ncclGroupEnd());
  negate<<<n / 128, 128, 0, stream>>>(recv, out);
  std::vector<int> host(n);
  CHECK(cudaMemcpyAsync(host.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  const int from = (rank + size - 1) % size;
  int wrong = 0;
  for (int i = 0; i < n / 128 * 128; ++i) wrong += host[i] != -(from * n + i);
  if (rank == 0) std::cout << "prefix " << (wrong ? "WRONG" : "verified") << std::endl;
  CHECK(cudaFree(send));
  CHECK(cudaFree(recv));
  CHECK(cudaFree(out));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
  CHECK(MPI_Finalize());
  return wrong != 0;
}
