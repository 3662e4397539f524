// stranger: a reduce-scatter of a templated operation whose kernels live in headers; tile and type come from the command line
// flags: -I include -D TILE=32 -D ELEMENT=float
// ranks: 4
// arguments: 512
// expect-output: sum of squares PASS, clamp PASS
// share: all
// convert: lsa
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.h"
#include "elementwise.cuh"

#ifndef TILE
#define TILE 256
#endif
#ifndef ELEMENT
#define ELEMENT double
#endif

using element = ELEMENT;

template <class Op>
static bool run(const char* name, Op op, size_t count, int rank, int ranks, ncclComm_t comm, cudaStream_t stream) {
  const size_t part = count / ranks;
  std::vector<element> host(count), got(part);
  for (size_t i = 0; i < count; i++) host[i] = element((i * 3 + rank) % 7) - 3;
  element *in, *mapped, *out;
  CK(cudaMalloc(&in, count * sizeof(element)));
  CK(cudaMalloc(&mapped, count * sizeof(element)));
  CK(cudaMalloc(&out, part * sizeof(element)));
  CK(cudaMemcpy(in, host.data(), count * sizeof(element), cudaMemcpyHostToDevice));
  cudaEvent_t a, b;
  CK(cudaEventCreate(&a));
  CK(cudaEventCreate(&b));
  CK(cudaEventRecord(a, stream));
  elementwise::map<TILE><<<elementwise::grid_for<TILE>(count), TILE, 0, stream>>>(mapped, in, count, op);
  CK(ncclReduceScatter(mapped, out, part, elementwise::nccl_type<element>(), ncclSum, comm, stream));
  elementwise::map<TILE><<<elementwise::grid_for<TILE>(part), TILE, 0, stream>>>(out, out, part, elementwise::Scale<element>{2});
  CK(cudaEventRecord(b, stream));
  CK(cudaMemcpyAsync(got.data(), out, part * sizeof(element), cudaMemcpyDeviceToHost, stream));
  CK(cudaStreamSynchronize(stream));
  bool good = true;
  for (size_t i = 0; i < part; i++) {
    element want = 0;
    for (int r = 0; r < ranks; r++) want += op(element(((rank * part + i) * 3 + r) % 7) - 3);
    good &= got[i] == 2 * want;
  }
  float ms;
  CK(cudaEventElapsedTime(&ms, a, b));
  if (rank == 0) std::fprintf(stderr, "%s: %.4f ms\n", name, ms);
  CK(cudaEventDestroy(a));
  CK(cudaEventDestroy(b));
  CK(cudaFree(in));
  CK(cudaFree(mapped));
  CK(cudaFree(out));
  return good;
}

int main(int argc, char** argv) {
  CK(MPI_Init(&argc, &argv));
  int rank, ranks;
  CK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  CK(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : size_t(1) << 26;
  CK(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) CK(ncclGetUniqueId(&id));
  CK(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD));
  ncclComm_t comm;
  CK(ncclCommInitRank(&comm, ranks, id, rank));
  cudaStream_t stream;
  CK(cudaStreamCreate(&stream));
  bool squares = run("squares", elementwise::Square<element>{}, count, rank, ranks, comm, stream);
  bool clamp = run("clamp", elementwise::Clamp<element>{-1, 1}, count, rank, ranks, comm, stream);
  int mine[2] = {squares, clamp}, all[2];
  CK(MPI_Reduce(mine, all, 2, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD));
  if (rank == 0) std::printf("sum of squares %s, clamp %s\n", all[0] ? "PASS" : "FAIL", all[1] ? "PASS" : "FAIL");
  CK(cudaStreamDestroy(stream));
  CK(ncclCommDestroy(comm));
  CK(MPI_Finalize());
  return squares && clamp ? 0 : 1;
}
