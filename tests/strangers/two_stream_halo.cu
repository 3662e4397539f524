// stranger: one NCCL group on two streams: the upper halo on one, the lower on the other, the interior on a third
// ranks: 4
// arguments: 96 64 6
// expect-output: mean stays 0.5: yes
// convert: lsa gin
// optimize: 4
#include <cuda_runtime.h>
#include <math.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

#define CUDA_OK(x) if ((x) != cudaSuccess) { fprintf(stderr, "%s failed\n", #x); MPI_Abort(MPI_COMM_WORLD, 1); }
#define NCCL_OK(x) if ((x) != ncclSuccess) { fprintf(stderr, "%s failed\n", #x); MPI_Abort(MPI_COMM_WORLD, 1); }

/* rows [first, last) of the grid; columns are periodic */
__global__ void smooth(const double* in, double* out, int width, int first, int last)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = first + blockIdx.y;
    if (x >= width || y >= last) return;
    int left = (x + width - 1) % width, right = (x + 1) % width;
    out[y * width + x] = 0.25 * (in[y * width + left] + in[y * width + right] + in[(y - 1) * width + x] + in[(y + 1) * width + x]);
}

int main(int argc, char** argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int width = argc > 1 ? atoi(argv[1]) : 1024, rows = argc > 2 ? atoi(argv[2]) : 1024, steps = argc > 3 ? atoi(argv[3]) : 100;
    int mine = rows / ranks;
    CUDA_OK(cudaSetDevice(rank));
    ncclUniqueId id;
    if (rank == 0) NCCL_OK(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclComm_t comm;
    NCCL_OK(ncclCommInitRank(&comm, ranks, id, rank));
    cudaStream_t upper, lower, inner;
    CUDA_OK(cudaStreamCreate(&upper));
    CUDA_OK(cudaStreamCreate(&lower));
    CUDA_OK(cudaStreamCreate(&inner));

    size_t cells = (size_t)(mine + 2) * width;
    double *u, *v, *host = (double*)malloc(cells * sizeof(double));
    for (size_t i = 0; i < cells; i++) host[i] = i / width % 2 == 0 ? 1.0 : 0.0;
    CUDA_OK(cudaMalloc(&u, cells * sizeof(double)));
    CUDA_OK(cudaMalloc(&v, cells * sizeof(double)));
    CUDA_OK(cudaMemcpy(u, host, cells * sizeof(double), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(v, host, cells * sizeof(double), cudaMemcpyHostToDevice));

    int above = (rank + ranks - 1) % ranks, below = (rank + 1) % ranks;
    dim3 block(64), line((width + 63) / 64, 1), all((width + 63) / 64, mine - 2);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        NCCL_OK(ncclGroupStart());
        NCCL_OK(ncclRecv(u, width, ncclDouble, above, comm, upper));
        NCCL_OK(ncclSend(u + width, width, ncclDouble, above, comm, upper));
        NCCL_OK(ncclRecv(u + (size_t)(mine + 1) * width, width, ncclDouble, below, comm, lower));
        NCCL_OK(ncclSend(u + (size_t)mine * width, width, ncclDouble, below, comm, lower));
        NCCL_OK(ncclGroupEnd());
        smooth<<<line, block, 0, upper>>>(u, v, width, 1, 2);
        smooth<<<line, block, 0, lower>>>(u, v, width, mine, mine + 1);
        smooth<<<all, block, 0, inner>>>(u, v, width, 2, mine);
        CUDA_OK(cudaStreamSynchronize(upper));
        CUDA_OK(cudaStreamSynchronize(lower));
        CUDA_OK(cudaStreamSynchronize(inner));
        double* swap = u;
        u = v;
        v = swap;
    }
    double seconds = MPI_Wtime() - begin;
    CUDA_OK(cudaMemcpy(host, u, cells * sizeof(double), cudaMemcpyDeviceToHost));
    double own = 0, sum = 0;
    for (size_t i = width; i < (size_t)(mine + 1) * width; i++) own += host[i];
    MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("mean stays 0.5: %s, %.6f s\n", fabs(sum / ((double)mine * ranks * width) - 0.5) < 1e-12 ? "yes" : "NO", seconds);
    cudaFree(u);
    cudaFree(v);
    free(host);
    cudaStreamDestroy(upper);
    cudaStreamDestroy(lower);
    cudaStreamDestroy(inner);
    ncclCommDestroy(comm);
    MPI_Finalize();
    return 0;
}
