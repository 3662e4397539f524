// A 2-D stencil over a field that is cut into bands of rows, one a rank; the field has no edges, its last row meets the
// first one. Rows at the ends of a band are computed first and travel to the neighbours while the rest is computed.
#include <cuco/comm/overlap.cuh>

#include "ranks.h"

constexpr int kRows = 10, kColumns = 32;  // Of a band.
constexpr int kSteps = 6, kRounds = 2;
constexpr size_t kBand = (size_t)kRows * kColumns;

// Row 0 and row kRows + 1 are the neighbours' rows.
__host__ __device__ size_t row_at(int row) { return (size_t)row * kColumns; }

// Rows first, first + stride, ...: one block a row, one thread a column.
__global__ void average(const float* from, float* to, int first, int stride) {
  const int row = first + (int)blockIdx.x * stride, column = (int)threadIdx.x;
  const int left = (column + kColumns - 1) % kColumns, right = (column + 1) % kColumns;
  to[row_at(row) + column] = 0.25f * (from[row_at(row - 1) + column] + from[row_at(row + 1) + column] +
                                      from[row_at(row) + left] + from[row_at(row) + right]);
}

// With two ranks both messages go to the same peer: they are received in the order in which it sends them.
void exchange_rows(const Ranks& ranks, float* band) {
  const int above = (ranks.rank + ranks.count - 1) % ranks.count, below = (ranks.rank + 1) % ranks.count;
  const auto beside = site<1>.on_stream(0).by_message();
  const auto send = [&](int row, int peer) {
    CHECK(comm::send(beside, band + row_at(row), kColumns, ncclFloat, peer, ranks.comm, ranks.stream));
  };
  const auto receive = [&](int row, int peer) {
    CHECK(comm::receive(beside, band + row_at(row), kColumns, ncclFloat, peer, ranks.comm, ranks.stream));
  };
  CHECK(comm::group_start());
  send(1, above);
  send(kRows, below);
  receive(kRows + 1, below);
  receive(0, above);
  CHECK(comm::group_end());
}

// What the ends of a band touch of messages: one byte stands for the message that it lies in.
std::vector<comm::Use> uses_of_ends(const float* from, float* to) {
  return {comm::reads_at(from), comm::reads_at(from + row_at(kRows + 1)), comm::writes_at(to + row_at(1)),
          comm::writes_at(to + row_at(kRows))};
}

// The rest touches no row that travels, but for reading what exchanges read as well: it waits for none.
void step(const Ranks& ranks, const float* from, float* to) {
  comm::before(ranks.stream, uses_of_ends(from, to));
  average<<<2, kColumns, 0, ranks.stream>>>(from, to, 1, kRows - 1);
  comm::after(ranks.stream, uses_of_ends(from, to));
  exchange_rows(ranks, to);
  average<<<kRows - 2, kColumns, 0, ranks.stream>>>(from, to, 2, 1);
}

// The same on the whole field.
std::vector<float> expected(int ranks, int round) {
  const int rows = ranks * kRows;
  std::vector<float> field, next(ranks * kBand);
  for (int rank = 0; rank < ranks; rank++)
    for (size_t i = 0; i < kBand; i++) field.push_back(value(rank, round, i));
  for (int step = 0; step < kSteps; step++) {
    for (int row = 0; row < rows; row++)
      for (int column = 0; column < kColumns; column++) {
        const float above = field[row_at((row + rows - 1) % rows) + column],
                    below = field[row_at((row + 1) % rows) + column];
        const float left = field[row_at(row) + (column + kColumns - 1) % kColumns];
        const float right = field[row_at(row) + (column + 1) % kColumns];
        next[row_at(row) + column] = 0.25f * (above + below + left + right);
      }
    field.swap(next);
  }
  return field;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* bands[2] = {};
  for (float*& band : bands) CHECK(comm::allocate(&band, (kBand + 2 * kColumns) * sizeof(float)));
  comm::open_all<Path>(comm::Options().overlap(1));

  long wrong = 0;
  for (int round = 0; round < kRounds; round++) {
    float* own = bands[0] + row_at(1);
    comm::before(ranks.stream, {comm::writes(own)});
    fill<<<blocks_for(kBand, 128), 128, 0, ranks.stream>>>(own, kBand, ranks.rank, round);
    comm::after(ranks.stream, {comm::writes(own)});
    exchange_rows(ranks, bands[0]);
    for (int i = 0; i < kSteps; i++) step(ranks, bands[i % 2], bands[(i + 1) % 2]);
    const std::vector<float> field = expected(ranks.count, round);
    wrong += count_wrong(bands[kSteps % 2] + row_at(1), kBand, 0, ranks.stream,
                         [&](size_t i) { return field[ranks.rank * kBand + i]; });
  }
  for (float* band : bands) CHECK(comm::release(band));
  return ranks.verdict(wrong);
}
