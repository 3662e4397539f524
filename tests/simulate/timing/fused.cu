// A product of which every row of tiles leaves for the next rank as soon as its last tile is done, all in one kernel.
// Arguments: the size; the blocks (0: one for each tile); 1 for a product whose lower rows take longer; the block that
// waits for the others with FORM 1.
// FORM says what a tile leaves behind besides its elements, and what the kernel makes of that:
//   1  a flag that one block waits for       2  the rank that a row of tiles goes to       3  the same, only copied
//   4  the same rank, in a local variable    5  a sum in a local variable, only stored
#include <nccl_device.h>

#include "support.h"

#ifndef FORM
#define FORM 0
#endif

constexpr int kTile = 16;

struct Notes {
  unsigned* done;  // Tiles of each row.
  int* flags;
  int* peers;
  int* log;
  float* sums;
};

struct Job {
  int n, rows;
  bool is_triangular;
};

__device__ void multiply_tile(const float* a, const float* b, float* c, Job job, int tile, Notes notes, int next,
                              int& peer, float& sum_of_thread) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  const int n = job.n, across = n / kTile;
  const int row = tile / across * kTile + threadIdx.y, column = tile % across * kTile + threadIdx.x;
  const int depth = job.is_triangular ? n * (tile / across + 1) / (job.rows / kTile) : n;
  float sum = 0;
  for (int k = 0; k < depth; k += kTile) {
    left[threadIdx.y][threadIdx.x] = a[static_cast<size_t>(row) * n + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[static_cast<size_t>(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < kTile; i++) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  c[static_cast<size_t>(row) * n + column] = sum;
  if (FORM == 1) notes.flags[tile] = 1;
  if (FORM == 2 || FORM == 3) notes.peers[tile] = next;
  if (FORM == 4) peer = next;
  if (FORM == 5) sum_of_thread = sum;
}

// By one thread, when a tile is done: the last of a row sends it.
__device__ void send_row(const ncclDevComm& comm, ncclWindow_t window, Job job, int row, int peer, unsigned* done) {
  __threadfence();
  if (atomicAdd(&done[row], 1u) + 1 < static_cast<unsigned>(job.n / kTile)) return;
  const size_t bytes = sizeof(float) * kTile * job.n, whole = sizeof(float) * job.rows * job.n;
  ncclGin(comm, 0).put(ncclTeamWorld(comm), peer, window, whole + row * bytes, window, row * bytes, bytes,
                       ncclGin_SignalInc{0}, ncclGin_None{}, ncclCoopThread());
}

__global__ void multiply_and_send(ncclDevComm comm, ncclWindow_t window, const float* a, const float* b, float* c,
                                  Job job, Notes notes, int waiting_block) {
  const int across = job.n / kTile, tiles = across * (job.rows / kTile), next = (comm.rank + 1) % comm.nRanks;
  const bool leads = threadIdx.x == 0 && threadIdx.y == 0;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    int peer = next;
    float sum = 0;
    multiply_tile(a, b, c, job, tile, notes, next, peer, sum);
    __syncthreads();
    if (FORM == 2) peer = notes.peers[tile];
    if (FORM == 3 && leads) notes.log[tile] = notes.peers[tile];
    if (FORM == 5 && leads) notes.sums[tile] = sum;
    if (leads) send_row(comm, window, job, tile / across, peer, notes.done);
    __syncthreads();
  }
  if (!leads) return;
  for (int tile = 0; FORM == 1 && blockIdx.x == waiting_block && tile < tiles; tile++)
    while (static_cast<volatile int*>(notes.flags)[tile] == 0) {
    }
  if (blockIdx.x == 0) ncclGin(comm, 0).waitSignal(ncclCoopThread(), 0, job.rows / kTile);
}

template <typename T>
T* zeros(size_t count) {
  T* memory;
  CHECK(cudaMalloc(&memory, count * sizeof(T)));
  CHECK(cudaMemset(memory, 0, count * sizeof(T)));
  return memory;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  auto argument = [&](int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; };
  const int n = argument(1, 256), rows = n / ranks.count, tiles = n / kTile * (rows / kTile);
  const int blocks = argument(2, 0) > 0 ? argument(2, 0) : tiles;
  {
    Window window(ranks.comm, 2 * sizeof(float) * rows * n);
    ncclDevCommRequirements requirements{};
    requirements.ginSignalCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    float *a = zeros<float>(rows * n), *b = zeros<float>(n * n);
    Notes notes = {zeros<unsigned>(rows / kTile), zeros<int>(tiles), zeros<int>(tiles), zeros<int>(tiles),
                   zeros<float>(tiles)};
    MPI_Barrier(MPI_COMM_WORLD);
    multiply_and_send<<<blocks, dim3(kTile, kTile)>>>(dev_comm, window.handle, a, b,
                                                      reinterpret_cast<float*>(window.base),
                                                      {n, rows, argument(3, 0) != 0}, notes, argument(4, 0));
    CHECK(cudaDeviceSynchronize());
    MPI_Barrier(MPI_COMM_WORLD);
    for (void* memory : {(void*)a, (void*)b, (void*)notes.done, (void*)notes.flags, (void*)notes.peers,
                         (void*)notes.log, (void*)notes.sums})
      CHECK(cudaFree(memory));
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(0);
}
