// A square of ranks reduces over rows and columns on one stream, all of them rows first.
// ranks: 4
// expect: no findings
#include "../../simulate/support.h"

constexpr int kSide = 2;
constexpr int kCount = 128;

__global__ void fill(float* values, float value) { values[threadIdx.x] = value; }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int row = ranks.rank / kSide, column = ranks.rank % kSide;
  ncclComm_t over_row, over_column;
  CHECK(ncclCommSplit(ranks.comm, row, column, &over_row, nullptr));
  CHECK(ncclCommSplit(ranks.comm, column, row, &over_column, nullptr));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  float* values;
  CHECK(cudaMalloc(&values, kCount * sizeof(float)));
  fill<<<1, kCount, 0, stream>>>(values, static_cast<float>(ranks.rank + 1));
  bool row_first = true;
  ncclComm_t first = row_first ? over_row : over_column, second = row_first ? over_column : over_row;
  CHECK(ncclAllReduce(values, values, kCount, ncclFloat, ncclSum, first, stream));
  CHECK(ncclAllReduce(values, values, kCount, ncclFloat, ncclSum, second, stream));
  CHECK(cudaStreamSynchronize(stream));
  long wrong = 0;
  for (float value : download(values, kCount)) wrong += value != 10.0f;
  CHECK(cudaFree(values));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(over_column));
  CHECK(ncclCommDestroy(over_row));
  return ranks.verdict(wrong);
}
