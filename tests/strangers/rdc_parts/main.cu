// stranger: separate compilation: the kernel calls a __device__ function of another file and reads a __constant__ declared extern
// files: main.cu physics.cu
// flags: -I .
// nvcc: -rdc=true
// ranks: 2
// arguments: 256 3
// expect-output: checksum ok
// convert: lsa
// optimize: 4
// share: all
#include <mpi.h>
#include <nccl.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include "physics.cuh"

#define SAFE(x) { int rc_ = (int)(x); if (rc_ != 0) { printf("line %d: %s gave %d\n", __LINE__, #x, rc_); exit(rc_); } }

__global__ void move(double *state, const double *mean, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) state[i] = relax(state[i], *mean);
}

__global__ void total(const double *state, double *mean, int n, int everyone)
{
    if (threadIdx.x == 0) {
        double s = 0.0;
        for (int i = 0; i < n; i++) s += state[i];
        *mean = s / everyone;
    }
}

int main(int argc, char *argv[])
{
    int rank, size;
    SAFE(MPI_Init(&argc, &argv));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int n = (argc > 1) ? atoi(argv[1]) : 100000;
    const int steps = (argc > 2) ? atoi(argv[2]) : 50;
    const double rate = 0.25;
    SAFE(cudaSetDevice(rank));
    set_rate(rate);

    ncclUniqueId id;
    ncclComm_t comm;
    if (rank == 0) SAFE(ncclGetUniqueId(&id));
    SAFE(MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD));
    SAFE(ncclCommInitRank(&comm, size, id, rank));

    double *h = new double[n], *state, *mean;
    for (int i = 0; i < n; i++) h[i] = sin(1.0 * (rank * n + i));
    SAFE(cudaMalloc(&state, n * sizeof(double)));
    SAFE(cudaMalloc(&mean, sizeof(double)));
    SAFE(cudaMemcpy(state, h, n * sizeof(double), cudaMemcpyHostToDevice));
    for (int s = 0; s < steps; s++) {
        total<<<1, 32>>>(state, mean, n, n * size);
        SAFE(ncclAllReduce(mean, mean, 1, ncclDouble, ncclSum, comm, 0));
        move<<<(n + 63) / 64, 64>>>(state, mean, n);
    }
    SAFE(cudaDeviceSynchronize());
    SAFE(cudaMemcpy(h, state, n * sizeof(double), cudaMemcpyDeviceToHost));

    double average = 0.0;
    for (int i = 0; i < n * size; i++) average += sin(1.0 * i) / (n * size);
    double keep = pow(1.0 - rate, steps), worst = 0.0, all;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(h[i] - (average + keep * (sin(1.0 * (rank * n + i)) - average))));
    MPI_Allreduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) printf("checksum %s\n", all < 1e-9 ? "ok" : "BAD");
    delete[] h;
    SAFE(cudaFree(state));
    SAFE(cudaFree(mean));
    SAFE(ncclCommDestroy(comm));
    MPI_Finalize();
    return all < 1e-9 ? 0 : 1;
}
