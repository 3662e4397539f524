// stranger: managed memory: __managed__ globals for parameters and a flag, cudaMallocManaged for the arrays, read by the host as they are
// ranks: 2
// arguments: 640
// expect-output: managed sum is right
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

struct Params { float scale; float shift; int n; };

__managed__ Params params;
__managed__ int nan_seen = 0;
__device__ unsigned int blocks_done = 0;

#define CHECK_CUDA(x) if (auto err = (x); err != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(err)); exit(1); }
#define CHECK_NCCL(x) if (auto err = (x); err != ncclSuccess) { fprintf(stderr, "%s\n", ncclGetErrorString(err)); exit(1); }

__global__ void transform(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < params.n) {
        float v = params.scale * data[i] + params.shift;
        if (isnan(v)) atomicExch(&nan_seen, 1);
        data[i] = v;
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicInc(&blocks_done, gridDim.x - 1);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_CUDA(cudaSetDevice(rank));
    params.n = argc > 1 ? atoi(argv[1]) : 1 << 22;
    params.scale = 2.0f;
    params.shift = rank;

    float *data, *sum;
    CHECK_CUDA(cudaMallocManaged(&data, params.n * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&sum, params.n * sizeof(float)));
    for (int i = 0; i < params.n; i++) data[i] = (float)(i % 100);

    ncclUniqueId id;
    if (rank == 0) CHECK_NCCL(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclComm_t comm;
    CHECK_NCCL(ncclCommInitRank(&comm, size, id, rank));
    cudaStream_t stream;
    CHECK_CUDA(cudaStreamCreate(&stream));

    int n = params.n;
    transform<<<(n + 127) / 128, 128, 0, stream>>>(data);
    CHECK_NCCL(ncclAllReduce(data, sum, n, ncclFloat, ncclSum, comm, stream));
    CHECK_CUDA(cudaMemcpyAsync(data, sum, n * sizeof(float), cudaMemcpyDefault, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));

    int good = !nan_seen;
    for (int i = 0; i < n; i++)
        good &= data[i] == size * 2.0f * (i % 100) + size * (size - 1) / 2;
    if (rank == 0) printf("managed sum is %s\n", good ? "right" : "WRONG");
    CHECK_CUDA(cudaFree(data));
    CHECK_CUDA(cudaFree(sum));
    CHECK_CUDA(cudaStreamDestroy(stream));
    CHECK_NCCL(ncclCommDestroy(comm));
    MPI_Finalize();
    return !good;
}
