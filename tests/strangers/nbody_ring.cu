/* N-body, all pairs: blocks of bodies go round the ring while each rank adds up its forces.
   The launch has its block size in braces, softening is a __constant__, the state is in globals. */
// stranger: N-body round a ring, launch with braces, __constant__ memory, state in globals
// ranks: 4
// arguments: 64 2
// expect-output: momentum drift OK
// convert: lsa
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define TILE 16

__constant__ float soft2;

float4 *g_pos, *g_ring[2];
float3 *g_vel, *g_force;
int g_local, g_rank, g_size;
ncclComm_t g_comm;
cudaStream_t g_stream;

void die(const char *msg) { fprintf(stderr, "rank %d: %s\n", g_rank, msg); exit(1); }
#define CU(c) if ((c) != cudaSuccess) die(#c)
#define NC(c) if ((c) != ncclSuccess) die(#c)

__global__ void forces(float3 *force, const float4 *mine, const float4 *other, int n)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 p = i < n ? mine[i] : make_float4(0, 0, 0, 0);
    float3 f = i < n ? force[i] : make_float3(0, 0, 0);
    for (int base = 0; base < n; base += TILE) {
        int j = base + threadIdx.x;
        tile[threadIdx.x] = j < n ? other[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < TILE; k++) {
            float dx = tile[k].x - p.x, dy = tile[k].y - p.y, dz = tile[k].z - p.z;
            float inv = rsqrtf(dx * dx + dy * dy + dz * dz + soft2);
            float s = tile[k].w * inv * inv * inv;
            f.x += s * dx; f.y += s * dy; f.z += s * dz;
        }
        __syncthreads();
    }
    if (i < n) force[i] = f;
}

__global__ void advance(float4 *pos, float3 *vel, float3 *force, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    vel[i].x += dt * force[i].x; vel[i].y += dt * force[i].y; vel[i].z += dt * force[i].z;
    pos[i].x += dt * vel[i].x; pos[i].y += dt * vel[i].y; pos[i].z += dt * vel[i].z;
    force[i] = make_float3(0, 0, 0);
}

static void step(float dt)
{
    int right = (g_rank + 1) % g_size, left = (g_rank + g_size - 1) % g_size;
    unsigned blocks = (g_local + TILE - 1) / TILE;
    CU(cudaMemcpyAsync(g_ring[0], g_pos, g_local * sizeof(float4), cudaMemcpyDeviceToDevice, g_stream));
    for (int hop = 0; hop < g_size; hop++) {
        float4 *here = g_ring[hop % 2], *there = g_ring[1 - hop % 2];
        forces<<<blocks, {TILE, 1, 1}, 0, g_stream>>>(g_force, g_pos, here, g_local);
        if (hop == g_size - 1) break;
        NC(ncclGroupStart());
        NC(ncclSend(here, g_local * 4, ncclFloat, right, g_comm, g_stream));
        NC(ncclRecv(there, g_local * 4, ncclFloat, left, g_comm, g_stream));
        NC(ncclGroupEnd());
    }
    advance<<<blocks, TILE, 0, g_stream>>>(g_pos, g_vel, g_force, g_local, dt);
}

int main(int argc, char **argv)
{
    int total = argc > 1 ? atoi(argv[1]) : 65536;
    int steps = argc > 2 ? atoi(argv[2]) : 5;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g_size);
    if (total % g_size) die("bodies must divide by ranks");
    g_local = total / g_size;
    CU(cudaSetDevice(g_rank));
    ncclUniqueId id;
    if (g_rank == 0) ncclGetUniqueId(&id);
    MPI_Bcast(&id, NCCL_UNIQUE_ID_BYTES, MPI_CHAR, 0, MPI_COMM_WORLD);
    NC(ncclCommInitRank(&g_comm, g_size, id, g_rank));
    CU(cudaStreamCreate(&g_stream));
    float eps = 0.01f;
    CU(cudaMemcpyToSymbol(soft2, &eps, sizeof eps));

    float4 *h = (float4 *)malloc(total * sizeof(float4));
    for (int i = 0; i < total; i++)
        h[i] = make_float4(cosf(0.1f * i), sinf(0.17f * i), cosf(0.05f * i + 1), 1.0f / total);
    CU(cudaMalloc(&g_pos, g_local * sizeof(float4)));
    CU(cudaMalloc(&g_ring[0], g_local * sizeof(float4)));
    CU(cudaMalloc(&g_ring[1], g_local * sizeof(float4)));
    CU(cudaMalloc(&g_vel, g_local * sizeof(float3)));
    CU(cudaMalloc(&g_force, g_local * sizeof(float3)));
    CU(cudaMemset(g_vel, 0, g_local * sizeof(float3)));
    CU(cudaMemset(g_force, 0, g_local * sizeof(float3)));
    CU(cudaMemcpy(g_pos, h + g_rank * g_local, g_local * sizeof(float4), cudaMemcpyHostToDevice));

    double t = MPI_Wtime();
    for (int s = 0; s < steps; s++) step(0.001f);
    CU(cudaStreamSynchronize(g_stream));
    t = MPI_Wtime() - t;

    /* The sum of m*v must stay zero: every pair pulls both ways alike. */
    float3 *v = (float3 *)malloc(g_local * sizeof(float3));
    CU(cudaMemcpy(v, g_vel, g_local * sizeof(float3), cudaMemcpyDeviceToHost));
    double p[4] = {0, 0, 0, 0}, all[4];
    for (int i = 0; i < g_local; i++) {
        p[0] += v[i].x; p[1] += v[i].y; p[2] += v[i].z;
        p[3] += fabs(v[i].x) + fabs(v[i].y) + fabs(v[i].z);
    }
    MPI_Allreduce(p, all, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double drift = fabs(all[0]) + fabs(all[1]) + fabs(all[2]);
    int ok = all[3] > 0 && drift < 1e-4 * all[3];
    if (g_rank == 0) printf("%d bodies, %d steps, %f s, momentum drift %s\n", total, steps, t, ok ? "OK" : "TOO LARGE");
    free(h); free(v);
    cudaFree(g_pos); cudaFree(g_ring[0]); cudaFree(g_ring[1]); cudaFree(g_vel); cudaFree(g_force);
    cudaStreamDestroy(g_stream);
    ncclCommDestroy(g_comm);
    MPI_Finalize();
    return ok ? 0 : 1;
}
