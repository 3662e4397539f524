// The first and the last rank have one neighbour only: their outer halo cell is never written, yet the stencil reads
// it.
// ranks: 3
// expect-finding: unwritten_read
#include "../../simulate/support.h"

constexpr int kCells = 200;

__global__ void smooth(const float* cells, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i > kCells) return;
  out[i] = (cells[i - 1] + cells[i] + cells[i + 1]) / 3;  // FAULT
}

void exchange_halo(float* cells, const Ranks& ranks) {
  CHECK(ncclGroupStart());
  if (ranks.rank > 0) {
    CHECK(ncclSend(cells + 1, 1, ncclFloat, ranks.rank - 1, ranks.comm, nullptr));
    CHECK(ncclRecv(cells, 1, ncclFloat, ranks.rank - 1, ranks.comm, nullptr));
  }
  if (ranks.rank + 1 < ranks.count) {
    CHECK(ncclSend(cells + kCells, 1, ncclFloat, ranks.rank + 1, ranks.comm, nullptr));
    CHECK(ncclRecv(cells + kCells + 1, 1, ncclFloat, ranks.rank + 1, ranks.comm, nullptr));
  }
  CHECK(ncclGroupEnd());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float *cells, *out;
  CHECK(cudaMalloc(&cells, (kCells + 2) * sizeof(float)));
  CHECK(cudaMalloc(&out, (kCells + 2) * sizeof(float)));
  upload(cells + 1, std::vector<float>(kCells, 6.0f));
  exchange_halo(cells, ranks);
  smooth<<<2, 128>>>(cells, out);
  CHECK(cudaDeviceSynchronize());
  long wrong = 0;
  for (float value : download(out + 1, kCells)) wrong += value != 6.0f;
  CHECK(cudaFree(out));
  CHECK(cudaFree(cells));
  return ranks.verdict(wrong);
}
