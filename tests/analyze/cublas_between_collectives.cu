// A tensor-parallel layer: gather the input, multiply with cuBLAS on the same stream, scatter the sum of the output.
// expect: site s1 ncclAllGather send=input recv=whole count=share type=ncclFloat comm=comm stream=stream
// expect: site s2 ncclReduceScatter send=product recv=output count=share type=ncclFloat comm=comm stream=stream op=ncclSum
// expect: consumer s1 cublasSgemm whole
// expect: producer s2 cublasSgemm product
// expect: operation cublasSgemm in main
// expect-count: 1 operation cublasSgemm
// expect-not: overlap s1 cublasSgemm
// expect-not: overlap s2 cublasSgemm
// expect-not: unordered
// expect: convertible s1 yes
// expect: output output
#include <cublas_v2.h>
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
  const int tokens = 256, hidden = 1024, all_tokens = tokens * ranks;
  const size_t share = size_t{tokens} * hidden;
  float *input, *whole, *weight, *product, *output;
  cudaMalloc(&input, share * sizeof(float));
  cudaMalloc(&whole, ranks * share * sizeof(float));
  cudaMalloc(&weight, hidden * hidden * sizeof(float));
  cudaMalloc(&product, ranks * share * sizeof(float));
  cudaMalloc(&output, share * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cublasHandle_t blas;
  cublasCreate(&blas);
  cublasSetStream(blas, stream);
  const float one = 1, zero = 0;
  ncclAllGather(input, whole, share, ncclFloat, comm, stream);
  cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, hidden, all_tokens, hidden, &one, weight, hidden, whole, hidden, &zero,
              product, hidden);
  ncclReduceScatter(product, output, share, ncclFloat, ncclSum, comm, stream);
  cudaStreamSynchronize(stream);
  cublasDestroy(blas);
  MPI_Finalize();
}
