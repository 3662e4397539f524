// stranger: K-means in C: a .c file with the host code, a .cu file with the kernels behind extern "C"
// files: kmeans.c kmeans_kernels.cu
// ranks: 4
// arguments: n=128,k=4,d=2,iter=5
// expect-output: kmeans: PASS
// convert: lsa
// share: all
#include <mpi.h>
#include <nccl.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>
#include "kmeans.h"

#define TRY(expr) do { int err_ = (int)(expr); if (err_) { \
    fprintf(stderr, "%s:%d: %s -> %d\n", __FILE__, __LINE__, #expr, err_); exit(EXIT_FAILURE); } } while (0)

typedef struct {
    int rank, size, device;
    ncclComm_t comm;
    cudaStream_t stream;
} context_t;

static void context_init(context_t *ctx)
{
    ncclUniqueId id;
    memset(&id, 0, sizeof id);
    MPI_Comm_rank(MPI_COMM_WORLD, &ctx->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ctx->size);
    ctx->device = ctx->rank;
    TRY(cudaSetDevice(ctx->device));
    if (ctx->rank == 0)
        TRY(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    TRY(ncclCommInitRank(&ctx->comm, ctx->size, id, ctx->rank));
    TRY(cudaStreamCreate(&ctx->stream));
}

static float coordinate(int i, int d, int k)
{
    return 10.0f * (float)(i % k) + 0.01f * (float)((i * 37 + d * 11) % 100);
}

int main(int argc, char **argv)
{
    context_t ctx;
    kmeans_problem_t p = { .points = 1 << 20, .clusters = 16, .dims = 4 };
    int iters = 20;
    MPI_Init(&argc, &argv);
    if (argc > 1 && sscanf(argv[1], "n=%d,k=%d,d=%d,iter=%d", &p.points, &p.clusters, &p.dims, &iters) != 4) {
        fprintf(stderr, "usage: %s n=N,k=K,d=D,iter=I\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    context_init(&ctx);
    p.points /= ctx.size;
    const int k = p.clusters, d = p.dims;
    /* sums of all coordinates, then the numbers of members, in one array: one all-reduce for both */
    const size_t stats = (size_t)k * d + k;

    float *h_points = malloc(sizeof(float) * p.points * d);
    float *h_centers = malloc(sizeof(float) * k * d);
    for (int i = 0; i < p.points; i++)
        for (int j = 0; j < d; j++)
            h_points[i * d + j] = coordinate(ctx.rank * p.points + i, j, k);
    for (int c = 0; c < k; c++)
        for (int j = 0; j < d; j++)
            h_centers[c * d + j] = 10.0f * c + 2.0f;

    float *points, *centers, *sums;
    TRY(cudaMalloc((void **)&points, sizeof(float) * p.points * d));
    TRY(cudaMalloc((void **)&centers, sizeof(float) * k * d));
    TRY(cudaMalloc((void **)&sums, sizeof(float) * stats));
    TRY(cudaMemcpy(points, h_points, sizeof(float) * p.points * d, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(centers, h_centers, sizeof(float) * k * d, cudaMemcpyHostToDevice));

    double t0 = MPI_Wtime();
    for (int it = 0; it < iters; it++) {
        TRY(cudaMemsetAsync(sums, 0, sizeof(float) * stats, ctx.stream));
        kmeans_assign(&p, points, centers, sums, ctx.stream);
        TRY(ncclAllReduce(sums, sums, stats, ncclFloat, ncclSum, ctx.comm, ctx.stream));
        kmeans_update(&p, centers, sums, ctx.stream);
    }
    TRY(cudaStreamSynchronize(ctx.stream));
    double t1 = MPI_Wtime();

    TRY(cudaMemcpy(h_centers, centers, sizeof(float) * k * d, cudaMemcpyDeviceToHost));
    int good = 1;
    for (int c = 0; c < k; c++)
        for (int j = 0; j < d; j++) {
            double want = 0;
            int members = 0;
            for (int i = c; i < p.points * ctx.size; i += k, members++)
                want += coordinate(i, j, k);
            good &= fabs(want / members - h_centers[c * d + j]) < 1e-2;
        }
    if (ctx.rank == 0)
        printf("%d iterations in %.3f ms, kmeans: %s\n", iters, 1e3 * (t1 - t0), good ? "PASS" : "FAIL");
    free(h_points);
    free(h_centers);
    cudaFree(points);
    cudaFree(centers);
    cudaFree(sums);
    cudaStreamDestroy(ctx.stream);
    ncclCommDestroy(ctx.comm);
    MPI_Finalize();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
