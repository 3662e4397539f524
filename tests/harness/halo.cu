// Three sweeps of a one-dimensional stencil; neighbours exchange one cell before each. Cells beyond the ends are zero.
#include <cuco/harness.h>

#include "ranks.h"

__global__ void sweep(const double* from, double* to, int cells) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i <= cells) to[i] = 0.25 * from[i - 1] + 0.5 * from[i] + 0.25 * from[i + 1];
}

__global__ void clear_ends(double* field, int cells) { field[threadIdx.x == 0 ? 0 : cells + 1] = 0; }

struct Fields {
  double *begin, *a, *b, *end;
};

void exchange(const Ranks& ranks, double* field, int cells) {
  clear_ends<<<1, 2, 0, ranks.stream>>>(field, cells);
  CHECK(ncclGroupStart());
  if (ranks.rank > 0) {
    CHECK(ncclSend(field + 1, 1, ncclDouble, ranks.rank - 1, ranks.comm, ranks.stream));
    CHECK(ncclRecv(field, 1, ncclDouble, ranks.rank - 1, ranks.comm, ranks.stream));
  }
  if (ranks.rank + 1 < ranks.count) {
    CHECK(ncclSend(field + cells, 1, ncclDouble, ranks.rank + 1, ranks.comm, ranks.stream));
    CHECK(ncclRecv(field + cells + 1, 1, ncclDouble, ranks.rank + 1, ranks.comm, ranks.stream));
  }
  CHECK(ncclGroupEnd());
}

void step(const Ranks& ranks, const Fields& fields, int cells) {
  CHECK(cudaMemcpyAsync(fields.a + 1, fields.begin, cells * sizeof(double), cudaMemcpyDeviceToDevice, ranks.stream));
  double *from = fields.a, *to = fields.b;
  for (int i = 0; i < 3; i++, std::swap(from, to)) {
    exchange(ranks, from, cells);
    sweep<<<(cells + 63) / 64, 64, 0, ranks.stream>>>(from, to, cells);
  }
  CHECK(cudaMemcpyAsync(fields.end, from + 1, cells * sizeof(double), cudaMemcpyDeviceToDevice, ranks.stream));
  CHECK(cudaStreamSynchronize(ranks.stream));
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  cuco::Harness harness(ranks.rank, ranks.count, argc, argv);
  int cells = static_cast<int>(harness.parameter("cells", 100));
  harness.require(cells >= 2, "cells must be at least 2");
  Fields fields = {allocate<double>(cells), allocate<double>(cells + 2), allocate<double>(cells + 2),
                   allocate<double>(cells)};
  harness.input("begin", fields.begin, cells, cuco::uniform(-1, 1));
  harness.scratch("a", fields.a, cells + 2);
  harness.scratch("b", fields.b, cells + 2);
  harness.output("end", fields.end, cells, cuco::within(1e-12, 0));
  harness.run([&] { step(ranks, fields, cells); });
  for (double* field : {fields.begin, fields.a, fields.b, fields.end}) CHECK(cudaFree(field));
}
