/* Conway's game of life in bytes, one process per GPU, rows of halo, timed by gettimeofday.
   The style of a course: global pointers, one function per phase, no check macro but a function. */
// stranger: a game of life in bytes as a course has it, timed by gettimeofday
// ranks: 3
// arguments: 24 32 6
// expect-output: alive cells agree
// convert: lsa gin
// share: all
#include <mpi.h>
#include <nccl.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <stdint.h>

static uint8_t *board, *next_board;
static int width, height, rows, generations;
static int rank, ranks;
static ncclComm_t nccl;

static void stop_on(cudaError_t e) { if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(-1); } }

__global__ void life(const uint8_t *now, uint8_t *then, int rows, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= width || y > rows) return;
    int l = (x + width - 1) % width, r = (x + 1) % width, n = 0;
    for (int dy = -1; dy <= 1; dy++)
        n += now[(y + dy) * width + l] + now[(y + dy) * width + r] + (dy ? now[(y + dy) * width + x] : 0);
    then[y * width + x] = n == 3 || (n == 2 && now[y * width + x]);
}

static int seed_cell(int y, int x) { return (x * 7 + y * 13 + x * y) % 3 == 0; }

static void exchange_halo(void)
{
    int up = (rank + ranks - 1) % ranks, down = (rank + 1) % ranks;
    ncclGroupStart();
    ncclSend(board + width, width, ncclUint8, up, nccl, 0);
    ncclRecv(board + (rows + 1) * width, width, ncclUint8, down, nccl, 0);
    ncclSend(board + rows * width, width, ncclUint8, down, nccl, 0);
    ncclRecv(board, width, ncclUint8, up, nccl, 0);
    ncclGroupEnd();
}

static void evolve(void)
{
    dim3 threads(16, 4, 1), blocks((width + 15) / 16, (rows + 3) / 4, 1);
    for (int g = 0; g < generations; g++) {
        exchange_halo();
        life<<<blocks, threads>>>(board, next_board, rows, width);
        uint8_t *tmp = board;
        board = next_board;
        next_board = tmp;
    }
    stop_on(cudaDeviceSynchronize());
}

static long reference(void)
{
    uint8_t *a = (uint8_t *)malloc(width * height), *b = (uint8_t *)malloc(width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) a[y * width + x] = seed_cell(y, x);
    for (int g = 0; g < generations; g++) {
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                int n = 0;
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++)
                        if (dx || dy) n += a[(y + dy + height) % height * width + (x + dx + width) % width];
                b[y * width + x] = n == 3 || (n == 2 && a[y * width + x]);
            }
        memcpy(a, b, width * height);
    }
    long alive = 0;
    for (int i = 0; i < width * height; i++) alive += a[i];
    free(a);
    free(b);
    return alive;
}

int main(int argc, char **argv)
{
    struct timeval begin, end;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    height = argc > 1 ? atoi(argv[1]) : 8192;
    width = argc > 2 ? atoi(argv[2]) : 8192;
    generations = argc > 3 ? atoi(argv[3]) : 100;
    rows = height / ranks;
    stop_on(cudaSetDevice(rank));
    ncclUniqueId id;
    if (rank == 0) ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&nccl, ranks, id, rank);
    size_t bytes = (size_t)(rows + 2) * width;
    uint8_t *host = (uint8_t *)calloc(bytes, 1);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < width; x++) host[(y + 1) * width + x] = seed_cell(rank * rows + y, x);
    stop_on(cudaMalloc((void **)&board, bytes));
    stop_on(cudaMalloc((void **)&next_board, bytes));
    stop_on(cudaMemcpy(board, host, bytes, cudaMemcpyHostToDevice));
    stop_on(cudaMemcpy(next_board, host, bytes, cudaMemcpyHostToDevice));

    gettimeofday(&begin, NULL);
    evolve();
    gettimeofday(&end, NULL);

    stop_on(cudaMemcpy(host, board, bytes, cudaMemcpyDeviceToHost));
    long mine = 0, all = 0;
    for (size_t i = width; i < (size_t)(rows + 1) * width; i++) mine += host[i];
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    int good = all == reference();
    if (rank == 0)
        printf("%ld us, alive cells %s\n", (end.tv_sec - begin.tv_sec) * 1000000L + end.tv_usec - begin.tv_usec, good ? "agree" : "DISAGREE");
    free(host);
    cudaFree(board);
    cudaFree(next_board);
    ncclCommDestroy(nccl);
    MPI_Finalize();
    return good ? 0 : 1;
}
