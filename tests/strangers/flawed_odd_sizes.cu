// stranger: a flaw that only other sizes show: threads wait for each other in whole tiles alone, and the case has no other
// ranks: 2
// arguments: 1048576
// expect-output: smoothed
// convert: lsa
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

#include <vector>

#define TILE 256

#define CUDA(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); exit(1); } } while (0)
#define NCCL(call) do { ncclResult_t r = (call); if (r != ncclSuccess) { printf("%s\n", ncclGetErrorString(r)); exit(1); } } while (0)

__global__ void smooth(const float *in, float *out, int n) {
    __shared__ float tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    if (i < n) tile[threadIdx.x] = in[i];
    if (n % TILE == 0) __syncthreads();
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += tile[(threadIdx.x + 32 * k) % TILE];
    out[i] = sum / 8;
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    CUDA(cudaSetDevice(rank));
    ncclUniqueId id;
    ncclComm_t comm;
    if (rank == 0) NCCL(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
    NCCL(ncclCommInitRank(&comm, ranks, id, rank));
    std::vector<float> host(n);
    for (int i = 0; i < n; i++) host[i] = (float)((i * 7 + rank) % 101);
    float *in, *out;
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMalloc(&in, n * sizeof(float)));
    CUDA(cudaMalloc(&out, n * sizeof(float)));
    CUDA(cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    smooth<<<(n + TILE - 1) / TILE, TILE, 0, stream>>>(in, out, n);
    NCCL(ncclAllReduce(out, out, n, ncclFloat, ncclSum, comm, stream));
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
    if (rank == 0) printf("smoothed, out[0] = %f\n", host[0]);
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
    ncclCommDestroy(comm);
    MPI_Finalize();
    return 0;
}
