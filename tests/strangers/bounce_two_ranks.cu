// stranger: two ranks bounce a buffer: each side of `if (rank == 0)` has its own sends and receives, in a warm-up and in the timed loop
// ranks: 2
// arguments: 5000
// expect-output: buffer came back 6 times
// convert: lsa gin
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cuda_runtime.h"
#include "mpi.h"
#include "nccl.h"

template <typename Result>
void expect(Result result, Result success, int line) {
  if (result == success) return;
  std::fprintf(stderr, "line %d: error %d\n", line, int(result));
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define C(x) expect((x), cudaSuccess, __LINE__)
#define N(x) expect((x), ncclSuccess, __LINE__)

__global__ void touch(double* ball, long n) {
  for (long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) ball[i] += 1.0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me, all;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  const long n = argc > 1 ? std::atol(argv[1]) : 1 << 16;
  C(cudaSetDevice(me));
  ncclComm_t net;
  ncclUniqueId id;
  if (me == 0) N(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  N(ncclCommInitRank(&net, all, id, me));
  cudaStream_t queue;
  C(cudaStreamCreate(&queue));
  double* ball;
  C(cudaMalloc((void**)&ball, n * sizeof(double)));
  C(cudaMemset(ball, 0, n * sizeof(double)));
  C(cudaDeviceSynchronize());

  for (int round = 0; round < 2; ++round) {
    if (me == 0) {
      N(ncclSend(ball, n, ncclDouble, 1, net, queue));
      N(ncclRecv(ball, n, ncclDouble, 1, net, queue));
    } else if (me == 1) {
      N(ncclRecv(ball, n, ncclDouble, 0, net, queue));
      touch<<<8, 64, 0, queue>>>(ball, n);
      C(cudaStreamSynchronize(queue));
      N(ncclSend(ball, n, ncclDouble, 0, net, queue));
    }
  }
  C(cudaStreamSynchronize(queue));

  const double begin = MPI_Wtime();
  for (int round = 0; round < 4; ++round) {
    if (me == 0) {
      N(ncclSend(ball, n, ncclDouble, 1, net, queue));
      N(ncclRecv(ball, n, ncclDouble, 1, net, queue));
    } else if (me == 1) {
      N(ncclRecv(ball, n, ncclDouble, 0, net, queue));
      touch<<<8, 64, 0, queue>>>(ball, n);
      N(ncclSend(ball, n, ncclDouble, 0, net, queue));
    }
  }
  C(cudaStreamSynchronize(queue));
  const double seconds = MPI_Wtime() - begin;

  bool good = true;
  if (me == 0) {
    std::vector<double> back(n);
    C(cudaMemcpy(back.data(), ball, n * sizeof(double), cudaMemcpyDeviceToHost));
    for (double value : back) good = good && value == back[0];
    std::printf("%g GB/s, buffer came back %.0f times\n", 8 * n * sizeof(double) / seconds / 1e9, good ? back[0] : -1.0);
  }
  C(cudaFree(ball));
  C(cudaStreamDestroy(queue));
  N(ncclCommDestroy(net));
  MPI_Finalize();
  return good ? 0 : 1;
}
