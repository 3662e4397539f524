// A product whose kernel sends what it writes: every rank multiplies its rows, and all ranks get all rows of C. Blocks
// store their tiles into the windows of all peers while other blocks still compute.
#include <cuco/comm/fused.cuh>

#include "ranks.h"

constexpr int kRows = 64, kDepth = 32, kColumns = 64;  // Of a rank's part.
constexpr int kTile = 16, kParts = 4, kRounds = 3;

// Each block computes a tile of c = a * b and sends it. Without an exchange the kernel runs as it is written.
__global__ void gemm(const float* a, const float* b, float* c, const comm::FusedSend fused) {
  const uint3 block = comm::begin_fused<Path>(fused);  // Tells the peers that their rows may come.
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = block.y * kTile + y, column = block.x * kTile + x;
  float sum = 0;
  for (int k = 0; k < kDepth; k += kTile) {
    left[y][x] = a[row * kDepth + k + x];
    right[y][x] = b[(k + y) * kColumns + column];
    __syncthreads();
    for (int i = 0; i < kTile; i++) sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  c[row * kColumns + column] = sum;
  comm::end_fused<Path>(fused, block);  // The last block waits for the peers' rows.
}

// The launch starts with the all-gather that follows it.
void launch_gemm(const float* a, const float* b, float* c, cudaStream_t stream) {
  const dim3 grid(kColumns / kTile, kRows / kTile), block(kTile, kTile);
  const int64_t pitch = kColumns * sizeof(float), piece = kTile * sizeof(float);
  const comm::Tiles tiles = comm::Tiles().step(piece, kTile * pitch, 0).piece(piece).rows(kTile, pitch);
  comm::launch_fused(comm::Shape().message(kRows * pitch).along(1).in_tiles(tiles), grid, block, stream,
                     comm::pointers_of(c),
                     [=](const comm::FusedSend& fused) { gemm<<<grid, block, 0, stream>>>(a, b, c, fused); });
}

float expected(int round, size_t i) {
  const size_t row = i / kColumns, column = i % kColumns;
  float sum = 0;
  for (size_t k = 0; k < kDepth; k++)
    sum += value((int)(row / kRows), round, row % kRows * kDepth + k) * value(0, 0, k * kColumns + column);
  return sum;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const size_t part = (size_t)kRows * kColumns, a_count = (size_t)kRows * kDepth, b_count = (size_t)kDepth * kColumns;
  float *a = nullptr, *b = nullptr, *c = nullptr;
  CHECK(cudaMalloc(&a, a_count * sizeof(float)));
  CHECK(cudaMalloc(&b, b_count * sizeof(float)));
  CHECK(comm::allocate(&c, part * ranks.count * sizeof(float)));
  comm::open_all<Path>(comm::Options().slots(64).strong_signals());
  fill<<<blocks_for(b_count, 128), 128, 0, ranks.stream>>>(b, b_count, 0, 0);

  long wrong = 0;
  float* own = c + ranks.rank * part;
  for (int round = 0; round < kRounds; round++) {
    fill<<<blocks_for(a_count, 128), 128, 0, ranks.stream>>>(a, a_count, ranks.rank, round);
    launch_gemm(a, b, own, ranks.stream);
    CHECK(comm::all_gather(site<1>.fused(kParts), own, c, part, ncclFloat, ranks.comm, ranks.stream));
    wrong += count_wrong(c, part * ranks.count, 0, ranks.stream, [=](size_t i) { return expected(round, i); });
  }
  CHECK(comm::release(c));
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  return ranks.verdict(wrong);
}
