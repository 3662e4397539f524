// stranger: a flaw: rows are padded to a pitch and the padding is never written, yet whole rows are sent and copied back
// ranks: 2
// arguments: 10 6
// expect-output: rows match
// expect-finding: unwritten_read
// convert: lsa
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    char tag;
    double weight; /* seven bytes of padding before it */
    short bin;
} record;

#define CUDA_OK(c) do { cudaError_t e = (c); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)
#define NCCL_OK(c) do { ncclResult_t e = (c); if (e != ncclSuccess) { fprintf(stderr, "%s\n", ncclGetErrorString(e)); exit(1); } } while (0)

__global__ void fill_rows(float *m, int rows, int cols, int pitch, int rank)
{
    int c = threadIdx.x + blockIdx.x * blockDim.x, r = blockIdx.y;
    if (r < rows && c < cols)
        m[r * pitch + c] = 100.0f * rank + 10.0f * r + c;
}

__global__ void fill_records(record *p, int n, int rank)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        p[i].tag = (char)('a' + i % 26);
        p[i].weight = rank + 0.5 * i;
        p[i].bin = (short)i;
    }
}

int main(int argc, char **argv)
{
    int rank, size, rows = 512, cols = 500, bad = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1) rows = atoi(argv[1]);
    if (argc > 2) cols = atoi(argv[2]);
    int pitch = (cols + 31) / 32 * 32;
    CUDA_OK(cudaSetDevice(rank));
    ncclUniqueId id;
    if (rank == 0) NCCL_OK(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclComm_t comm;
    NCCL_OK(ncclCommInitRank(&comm, size, id, rank));

    float *mine, *all, *host;
    record *rec, *allrec, *hrec;
    size_t part = (size_t)rows * pitch;
    CUDA_OK(cudaMalloc((void **)&mine, part * sizeof(float)));
    CUDA_OK(cudaMalloc((void **)&all, size * part * sizeof(float)));
    CUDA_OK(cudaMalloc((void **)&rec, rows * sizeof(record)));
    CUDA_OK(cudaMalloc((void **)&allrec, size * rows * sizeof(record)));
    host = (float *)malloc(size * part * sizeof(float));
    hrec = (record *)malloc(size * rows * sizeof(record));

    dim3 grid((cols + 31) / 32, rows);
    fill_rows<<<grid, 32>>>(mine, rows, cols, pitch, rank);
    fill_records<<<(rows + 31) / 32, 32>>>(rec, rows, rank);
    NCCL_OK(ncclAllGather(mine, all, part, ncclFloat, comm, 0));
    NCCL_OK(ncclAllGather(rec, allrec, rows * sizeof(record), ncclChar, comm, 0));
    CUDA_OK(cudaMemcpy(host, all, size * part * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemcpy(hrec, allrec, size * rows * sizeof(record), cudaMemcpyDeviceToHost));
    for (int p = 0; p < size; p++)
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < cols; c++)
                bad += host[p * part + r * pitch + c] != 100.0f * p + 10.0f * r + c;
            bad += hrec[p * rows + r].weight != p + 0.5 * r || hrec[p * rows + r].bin != (short)r;
        }
    if (rank == 0) printf("rows %s\n", bad ? "DIFFER" : "match");
    free(host);
    free(hrec);
    cudaFree(mine);
    cudaFree(all);
    cudaFree(rec);
    cudaFree(allrec);
    ncclCommDestroy(comm);
    MPI_Finalize();
    return bad != 0;
}
