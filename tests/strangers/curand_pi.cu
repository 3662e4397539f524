// stranger: Monte Carlo: each rank has its own cuRAND sequence, device states for the estimate and a host generator for noise
// nvcc: -lcurand
// ranks: 2
// arguments: 4 64
// expect-output: estimate plausible, noise plausible
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <curand.h>
#include <curand_kernel.h>
#include <mpi.h>
#include <nccl.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CALL(x) do { if((x)!=cudaSuccess) { printf("Error at %s:%d\n",__FILE__,__LINE__); return EXIT_FAILURE;}} while(0)
#define CURAND_CALL(x) do { if((x)!=CURAND_STATUS_SUCCESS) { printf("Error at %s:%d\n",__FILE__,__LINE__); return EXIT_FAILURE;}} while(0)
#define NCCL_CALL(x) do { if((x)!=ncclSuccess) { printf("Error at %s:%d\n",__FILE__,__LINE__); return EXIT_FAILURE;}} while(0)

__global__ void setup(curandState *state, unsigned long long seed, int rank)
{
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    curand_init(seed, (unsigned long long)rank * gridDim.x * blockDim.x + id, 0, &state[id]);
}

__global__ void throw_darts(curandState *state, unsigned long long *hits, int per_thread)
{
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    curandState mine = state[id];
    unsigned long long inside = 0;
    for (int i = 0; i < per_thread; i++) {
        float x = curand_uniform(&mine), y = curand_uniform(&mine);
        inside += x * x + y * y <= 1.0f;
    }
    state[id] = mine;
    atomicAdd(hits, inside);
}

__global__ void mean_square(const float *noise, int n, float *out)
{
    float s = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += noise[i] * noise[i];
    atomicAdd(out, s);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int blocks = argc > 1 ? atoi(argv[1]) : 256, per_thread = argc > 2 ? atoi(argv[2]) : 4096, threads = 64;
    const int noise_count = 2048;
    CUDA_CALL(cudaSetDevice(rank));
    ncclUniqueId id;
    if (rank == 0) NCCL_CALL(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclComm_t comm;
    NCCL_CALL(ncclCommInitRank(&comm, size, id, rank));

    curandState *states;
    unsigned long long *hits, total = 0;
    float *noise, *power, h_power;
    CUDA_CALL(cudaMalloc((void **)&states, blocks * threads * sizeof(curandState)));
    CUDA_CALL(cudaMalloc((void **)&hits, sizeof(unsigned long long)));
    CUDA_CALL(cudaMalloc((void **)&noise, noise_count * sizeof(float)));
    CUDA_CALL(cudaMalloc((void **)&power, sizeof(float)));
    CUDA_CALL(cudaMemset(hits, 0, sizeof(unsigned long long)));
    CUDA_CALL(cudaMemset(power, 0, sizeof(float)));

    curandGenerator_t gen;
    CURAND_CALL(curandCreateGenerator(&gen, CURAND_RNG_PSEUDO_PHILOX4_32_10));
    CURAND_CALL(curandSetPseudoRandomGeneratorSeed(gen, 1234ULL + rank));
    CURAND_CALL(curandGenerateNormal(gen, noise, noise_count, 0.0f, 2.0f));

    setup<<<blocks, threads>>>(states, 42ULL, rank);
    throw_darts<<<blocks, threads>>>(states, hits, per_thread);
    mean_square<<<1, 64>>>(noise, noise_count, power);
    NCCL_CALL(ncclAllReduce(hits, hits, 1, ncclUint64, ncclSum, comm, 0));
    NCCL_CALL(ncclAllReduce(power, power, 1, ncclFloat, ncclSum, comm, 0));
    CUDA_CALL(cudaMemcpy(&total, hits, sizeof(total), cudaMemcpyDeviceToHost));
    CUDA_CALL(cudaMemcpy(&h_power, power, sizeof(float), cudaMemcpyDeviceToHost));

    double darts = (double)blocks * threads * per_thread * size, pi = 4.0 * total / darts;
    double variance = h_power / (noise_count * size);
    bool pi_ok = fabs(pi - 3.14159265) < 8.0 / sqrt(darts), noise_ok = variance > 3.5 && variance < 4.5;
    if (rank == 0)
        printf("pi = %.4f, variance = %.3f: estimate %s, noise %s\n", pi, variance, pi_ok ? "plausible" : "OFF", noise_ok ? "plausible" : "OFF");
    CURAND_CALL(curandDestroyGenerator(gen));
    cudaFree(states); cudaFree(hits); cudaFree(noise); cudaFree(power);
    ncclCommDestroy(comm);
    MPI_Finalize();
    return pi_ok && noise_ok ? 0 : 1;
}
