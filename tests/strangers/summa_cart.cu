// stranger: SUMMA: C = A B on a square grid of ranks from MPI_Cart_create; rows and columns have NCCL communicators of their own
// ranks: 4
// arguments: -n 32 -b 8
// expect-output: SUMMA check passed
// convert: lsa gin
// share: all
#include <mpi.h>
#include <nccl.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <vector>

#define MPICHECK(cmd) do { int e = cmd; if (e != MPI_SUCCESS) { printf("Failed: MPI error %s:%d '%d'\n", __FILE__, __LINE__, e); exit(EXIT_FAILURE); } } while (0)
#define CUDACHECK(cmd) do { cudaError_t e = cmd; if (e != cudaSuccess) { printf("Failed: Cuda error %s:%d '%s'\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(EXIT_FAILURE); } } while (0)
#define NCCLCHECK(cmd) do { ncclResult_t r = cmd; if (r != ncclSuccess) { printf("Failed, NCCL error %s:%d '%s'\n", __FILE__, __LINE__, ncclGetErrorString(r)); exit(EXIT_FAILURE); } } while (0)
#define TS 8
__global__ void gemm_add(const double* __restrict__ A, const double* __restrict__ B, double* __restrict__ C, int n)
{
    __shared__ double a[TS][TS], b[TS][TS];
    int row = blockIdx.y * TS + threadIdx.y, col = blockIdx.x * TS + threadIdx.x;
    double sum = 0.0;
    for (int t = 0; t < n; t += TS) {
        a[threadIdx.y][threadIdx.x] = A[row * n + t + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = B[(t + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < TS; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }
    C[row * n + col] += sum;
}

__global__ void copy_block(double *to, const double *from, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = from[i];
}

static ncclComm_t nccl_from_mpi(MPI_Comm mpi)
{
    int rank, size;
    MPICHECK(MPI_Comm_rank(mpi, &rank));
    MPICHECK(MPI_Comm_size(mpi, &size));
    ncclUniqueId id;
    if (rank == 0) NCCLCHECK(ncclGetUniqueId(&id));
    MPICHECK(MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, mpi));
    ncclComm_t comm;
    NCCLCHECK(ncclCommInitRank(&comm, size, id, rank));
    return comm;
}

static double A_of(int i, int j) { return 1.0 + ((i + 2 * j) % 5); }
static double B_of(int i, int j) { return 2.0 - ((3 * i + j) % 4); }

int main(int argc, char *argv[])
{
    MPICHECK(MPI_Init(&argc, &argv));
    int N = 8192;
    for (int i = 1; i < argc - 1; ++i)
        if (strcmp(argv[i], "-n") == 0) sscanf(argv[i + 1], "%d", &N);
    int world;
    MPICHECK(MPI_Comm_size(MPI_COMM_WORLD, &world));
    int dims[2] = {0, 0}, periods[2] = {1, 1}, coords[2], me;
    MPICHECK(MPI_Dims_create(world, 2, dims));
    if (dims[0] != dims[1]) { fprintf(stderr, "the number of ranks must be a square\n"); MPI_Abort(MPI_COMM_WORLD, 2); }
    MPI_Comm grid, row_comm, col_comm;
    MPICHECK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid));
    MPICHECK(MPI_Comm_rank(grid, &me));
    MPICHECK(MPI_Cart_coords(grid, me, 2, coords));
    int keep_row[2] = {0, 1}, keep_col[2] = {1, 0};
    MPICHECK(MPI_Cart_sub(grid, keep_row, &row_comm));
    MPICHECK(MPI_Cart_sub(grid, keep_col, &col_comm));
    CUDACHECK(cudaSetDevice(me));
    ncclComm_t row = nccl_from_mpi(row_comm), col = nccl_from_mpi(col_comm);

    const int q = dims[0], nb = N / q, count = nb * nb;
    const size_t bytes = sizeof(double) * count;
    std::vector<double> hA(count), hB(count), hC(count);
    for (int i = 0; i < nb; ++i)
        for (int j = 0; j < nb; ++j) {
            hA[i * nb + j] = A_of(coords[0] * nb + i, coords[1] * nb + j);
            hB[i * nb + j] = B_of(coords[0] * nb + i, coords[1] * nb + j);
        }
    double *A, *B, *C, *panelA, *panelB;
    CUDACHECK(cudaMalloc(&A, bytes));
    CUDACHECK(cudaMalloc(&B, bytes));
    CUDACHECK(cudaMalloc(&C, bytes));
    CUDACHECK(cudaMalloc(&panelA, bytes));
    CUDACHECK(cudaMalloc(&panelB, bytes));
    CUDACHECK(cudaMemcpy(A, hA.data(), bytes, cudaMemcpyHostToDevice));
    CUDACHECK(cudaMemcpy(B, hB.data(), bytes, cudaMemcpyHostToDevice));
    CUDACHECK(cudaMemset(C, 0, bytes));
    cudaStream_t stream;
    CUDACHECK(cudaStreamCreate(&stream));

    MPI_Barrier(grid);
    double t = MPI_Wtime();
    for (int k = 0; k < q; ++k) {
        if (coords[1] == k) copy_block<<<(count + 127) / 128, 128, 0, stream>>>(panelA, A, count);
        if (coords[0] == k) copy_block<<<(count + 127) / 128, 128, 0, stream>>>(panelB, B, count);
        NCCLCHECK(ncclBroadcast(panelA, panelA, count, ncclDouble, k, row, stream));
        NCCLCHECK(ncclBroadcast(panelB, panelB, count, ncclDouble, k, col, stream));
        gemm_add<<<dim3(nb / TS, nb / TS), dim3(TS, TS), 0, stream>>>(panelA, panelB, C, nb);
    }
    CUDACHECK(cudaStreamSynchronize(stream));
    t = MPI_Wtime() - t;

    CUDACHECK(cudaMemcpy(hC.data(), C, bytes, cudaMemcpyDeviceToHost));
    int bad = 0, all = 0;
    for (int p = 0; p < count; p += 1 + count / 97) {
        int i = coords[0] * nb + p / nb, j = coords[1] * nb + p % nb;
        double want = 0;
        for (int k = 0; k < N; ++k) want += A_of(i, k) * B_of(k, j);
        bad += fabs(want - hC[p]) > 1e-9 * fabs(want) + 1e-9;
    }
    MPICHECK(MPI_Allreduce(&bad, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    if (me == 0) printf("N=%d on %dx%d: %.3f ms, SUMMA check %s\n", N, q, q, t * 1e3, all ? "FAILED" : "passed");
    cudaFree(A); cudaFree(B); cudaFree(C); cudaFree(panelA); cudaFree(panelB);
    cudaStreamDestroy(stream);
    ncclCommDestroy(row);
    ncclCommDestroy(col);
    MPI_Comm_free(&row_comm);
    MPI_Comm_free(&col_comm);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return all ? EXIT_FAILURE : EXIT_SUCCESS;
}
