// stranger: heat on a 2D grid of ranks: MPI_Cart_shift gives the neighbours, columns are packed, MPI_PROC_NULL at the rim
// ranks: 4
// arguments: 24 16 4
// expect-output: heat conserved: PASS
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CE(x) do { cudaError_t r = (x); if (r) { fprintf(stderr, "%s\n", cudaGetErrorString(r)); MPI_Abort(MPI_COMM_WORLD, 1); } } while (0)
#define NE(x) do { ncclResult_t r = (x); if (r) { fprintf(stderr, "%s\n", ncclGetErrorString(r)); MPI_Abort(MPI_COMM_WORLD, 1); } } while (0)
#define AT(i, j) ((i) * (w + 2) + (j))

__global__ void pack_columns(const double *u, double *left, double *right, int h, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < h) {
        left[i] = u[AT(i + 1, 1)];
        right[i] = u[AT(i + 1, w)];
    }
}

// Where there is no neighbour the rim repeats the cell next to it, so no heat leaves.
__global__ void fill_rim(double *u, const double *left, const double *right, int h, int w, int has_l, int has_r, int has_u, int has_d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < h) {
        u[AT(i + 1, 0)] = has_l ? left[i] : u[AT(i + 1, 1)];
        u[AT(i + 1, w + 1)] = has_r ? right[i] : u[AT(i + 1, w)];
    }
    if (i < w) {
        if (!has_u) u[AT(0, i + 1)] = u[AT(1, i + 1)];
        if (!has_d) u[AT(h + 1, i + 1)] = u[AT(h, i + 1)];
    }
}

__global__ void diffuse(double *v, const double *u, int h, int w, double c)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1, i = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (i <= h && j <= w)
        v[AT(i, j)] = u[AT(i, j)] + c * (u[AT(i - 1, j)] + u[AT(i + 1, j)] + u[AT(i, j - 1)] + u[AT(i, j + 1)] - 4 * u[AT(i, j)]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, dims[2] = {0, 0}, periods[2] = {0, 0};
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Comm cart;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &cart);
    MPI_Comm_rank(cart, &rank);
    int up, down, left, right;
    MPI_Cart_shift(cart, 0, 1, &up, &down);
    MPI_Cart_shift(cart, 1, 1, &left, &right);
    const int H = argc > 1 ? atoi(argv[1]) : 4096, W = argc > 2 ? atoi(argv[2]) : 4096, steps = argc > 3 ? atoi(argv[3]) : 50;
    const int h = H / dims[0], w = W / dims[1];
    CE(cudaSetDevice(rank));
    ncclUniqueId id;
    if (rank == 0) NE(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, cart);
    ncclComm_t comm;
    NE(ncclCommInitRank(&comm, size, id, rank));
    cudaStream_t s;
    CE(cudaStreamCreate(&s));

    const size_t cells = (size_t)(h + 2) * (w + 2);
    std::vector<double> host(cells, 0.0);
    for (int i = 1; i <= h; i++)
        for (int j = 1; j <= w; j++) host[AT(i, j)] = rank + 0.01 * i * j;
    double *u, *v, *sl, *sr, *rl, *rr;
    CE(cudaMalloc(&u, cells * sizeof(double)));
    CE(cudaMalloc(&v, cells * sizeof(double)));
    for (double **p : {&sl, &sr, &rl, &rr}) CE(cudaMalloc(p, h * sizeof(double)));
    CE(cudaMemcpy(u, host.data(), cells * sizeof(double), cudaMemcpyHostToDevice));
    CE(cudaMemcpy(v, host.data(), cells * sizeof(double), cudaMemcpyHostToDevice));
    double before = 0, after = 0;
    for (int i = 1; i <= h; i++)
        for (int j = 1; j <= w; j++) before += host[AT(i, j)];

    const int line = (h > w ? h : w);
    const dim3 threads(8, 8), blocks((w + 7) / 8, (h + 7) / 8);
    double t = MPI_Wtime();
    for (int n = 0; n < steps; n++) {
        pack_columns<<<(h + 31) / 32, 32, 0, s>>>(u, sl, sr, h, w);
        NE(ncclGroupStart());
        if (left != MPI_PROC_NULL) {
            NE(ncclSend(sl, h, ncclDouble, left, comm, s));
            NE(ncclRecv(rl, h, ncclDouble, left, comm, s));
        }
        if (right != MPI_PROC_NULL) {
            NE(ncclSend(sr, h, ncclDouble, right, comm, s));
            NE(ncclRecv(rr, h, ncclDouble, right, comm, s));
        }
        if (up != MPI_PROC_NULL) {
            NE(ncclSend(u + AT(1, 1), w, ncclDouble, up, comm, s));
            NE(ncclRecv(u + AT(0, 1), w, ncclDouble, up, comm, s));
        }
        if (down != MPI_PROC_NULL) {
            NE(ncclSend(u + AT(h, 1), w, ncclDouble, down, comm, s));
            NE(ncclRecv(u + AT(h + 1, 1), w, ncclDouble, down, comm, s));
        }
        NE(ncclGroupEnd());
        fill_rim<<<(line + 31) / 32, 32, 0, s>>>(u, rl, rr, h, w, left >= 0, right >= 0, up >= 0, down >= 0);
        diffuse<<<blocks, threads, 0, s>>>(v, u, h, w, 0.1);
        std::swap(u, v);
    }
    CE(cudaStreamSynchronize(s));
    t = MPI_Wtime() - t;
    CE(cudaMemcpy(host.data(), u, cells * sizeof(double), cudaMemcpyDeviceToHost));
    for (int i = 1; i <= h; i++)
        for (int j = 1; j <= w; j++) after += host[AT(i, j)];
    double sums[2] = {before, after}, all[2];
    MPI_Allreduce(sums, all, 2, MPI_DOUBLE, MPI_SUM, cart);
    int good = fabs(all[0] - all[1]) < 1e-9 * fabs(all[0]);
    if (rank == 0) printf("%dx%d ranks, %.3f ms, heat conserved: %s\n", dims[0], dims[1], 1e3 * t, good ? "PASS" : "FAIL");
    for (double *p : {u, v, sl, sr, rl, rr}) cudaFree(p);
    cudaStreamDestroy(s);
    ncclCommDestroy(comm);
    MPI_Comm_free(&cart);
    MPI_Finalize();
    return !good;
}
