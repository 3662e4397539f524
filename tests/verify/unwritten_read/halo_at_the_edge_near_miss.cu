// The outer halo cells of the first and the last rank stay unwritten, but the stencil mirrors the edge instead.
// ranks: 3
// expect: no findings
#include "../../simulate/support.h"

constexpr int kCells = 200;

__global__ void smooth(const float* cells, float* out, bool has_left, bool has_right) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i > kCells) return;
  float left = i > 1 || has_left ? cells[i - 1] : cells[i];
  float right = i < kCells || has_right ? cells[i + 1] : cells[i];
  out[i] = (left + cells[i] + right) / 3;
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
  smooth<<<2, 128>>>(cells, out, ranks.rank > 0, ranks.rank + 1 < ranks.count);
  CHECK(cudaDeviceSynchronize());
  long wrong = 0;
  for (float value : download(out + 1, kCells)) wrong += value != 6.0f;
  CHECK(cudaFree(out));
  CHECK(cudaFree(cells));
  return ranks.verdict(wrong);
}
