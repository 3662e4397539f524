// stranger: block-column Cholesky: cuSOLVER factors the diagonal block, cuBLAS solves below it and updates, panels are broadcast
// nvcc: -lcublas -lcusolver
// ranks: 2
// arguments: 24 8
// expect-output: |A - L L'| small
// convert: lsa gin
// share: all
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>
#include <mpi.h>
#include <nccl.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK_STATUS(call)                                                                   \
  do {                                                                                       \
    int status_code = static_cast<int>(call);                                                \
    if (status_code != 0) {                                                                  \
      std::fprintf(stderr, "%s failed with %d at line %d\n", #call, status_code, __LINE__);  \
      MPI_Abort(MPI_COMM_WORLD, status_code);                                                \
    }                                                                                        \
  } while (0)

static double entry(int i, int j, int n) { return (i == j ? n : 0) + 1.0 / (1 + std::abs(i - j)); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = argc > 1 ? std::atoi(argv[1]) : 4096, nb = argc > 2 ? std::atoi(argv[2]) : 256, blocks = n / nb;
  CHECK_STATUS(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) CHECK_STATUS(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK_STATUS(ncclCommInitRank(&comm, size, id, rank));
  cudaStream_t stream;
  cublasHandle_t blas;
  cusolverDnHandle_t solver;
  CHECK_STATUS(cudaStreamCreate(&stream));
  CHECK_STATUS(cublasCreate(&blas));
  CHECK_STATUS(cublasSetStream(blas, stream));
  CHECK_STATUS(cusolverDnCreate(&solver));
  CHECK_STATUS(cusolverDnSetStream(solver, stream));

  // Column-major; every rank holds all columns but keeps only its own block columns up to date.
  std::vector<double> host((size_t)n * n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) host[(size_t)j * n + i] = entry(i, j, n);
  double *a, *panel, *work;
  int *info, lwork = 0;
  CHECK_STATUS(cudaMalloc(&a, host.size() * sizeof(double)));
  CHECK_STATUS(cudaMalloc(&panel, (size_t)n * nb * sizeof(double)));
  CHECK_STATUS(cudaMalloc(&info, sizeof(int)));
  CHECK_STATUS(cudaMemcpy(a, host.data(), host.size() * sizeof(double), cudaMemcpyHostToDevice));
  CHECK_STATUS(cusolverDnDpotrf_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, nb, a, n, &lwork));
  CHECK_STATUS(cudaMalloc(&work, lwork * sizeof(double)));

  const double one = 1.0, minus = -1.0;
  const double begin = MPI_Wtime();
  for (int k = 0; k < blocks; k++) {
    const int rest = n - k * nb;
    double* diagonal = a + (size_t)k * nb * n + k * nb;
    if (k % size == rank) {
      CHECK_STATUS(cusolverDnDpotrf(solver, CUBLAS_FILL_MODE_LOWER, nb, diagonal, n, work, lwork, info));
      if (rest > nb)
        CHECK_STATUS(cublasDtrsm(blas, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, rest - nb, nb, &one,
                                 diagonal, n, diagonal + nb, n));
      CHECK_STATUS(cudaMemcpy2DAsync(panel, rest * sizeof(double), diagonal, n * sizeof(double), rest * sizeof(double), nb,
                                     cudaMemcpyDeviceToDevice, stream));
    }
    CHECK_STATUS(ncclBroadcast(panel, panel, (size_t)rest * nb, ncclDouble, k % size, comm, stream));
    // Every rank keeps L, so that each can check it.
    CHECK_STATUS(cudaMemcpy2DAsync(diagonal, n * sizeof(double), panel, rest * sizeof(double), rest * sizeof(double), nb,
                                   cudaMemcpyDeviceToDevice, stream));
    for (int j = k + 1; j < blocks; j++) {
      if (j % size != rank) continue;
      const int below = n - j * nb, off = (j - k) * nb;
      CHECK_STATUS(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, below, nb, nb, &minus, panel + off, rest, panel + off, rest, &one,
                               a + (size_t)j * nb * n + j * nb, n));
    }
  }
  CHECK_STATUS(cudaStreamSynchronize(stream));
  const double seconds = MPI_Wtime() - begin;

  CHECK_STATUS(cudaMemcpy(host.data(), a, host.size() * sizeof(double), cudaMemcpyDeviceToHost));
  double worst = 0;
  for (int i = 0; i < n; i += 1 + n / 64)
    for (int j = 0; j <= i; j += 1 + n / 64) {
      double sum = 0;
      for (int k = 0; k <= j; k++) sum += host[(size_t)k * n + i] * host[(size_t)k * n + j];
      worst = std::fmax(worst, std::fabs(sum - entry(i, j, n)));
    }
  if (rank == 0) std::printf("%d in %.3f ms: |A - L L'| %s\n", n, 1e3 * seconds, worst < 1e-8 * n ? "small" : "LARGE");
  cudaFree(a), cudaFree(panel), cudaFree(work), cudaFree(info);
  cusolverDnDestroy(solver);
  cublasDestroy(blas);
  cudaStreamDestroy(stream);
  ncclCommDestroy(comm);
  MPI_Finalize();
  return worst < 1e-8 * n ? 0 : 1;
}
