// stranger: data-parallel SGD: gradients are reduced bucket by bucket on a second stream while the backward pass goes on
// files: train.cpp layers.cu
// flags: -I .
// ranks: 4
// arguments: --layers=4 --params=96 --steps=2
// case: --layers=6 --params=7340032 --steps=2
// case-on: -n 4 --profile a100-2node-roce
// optimize: 3
// share: all
// expect-output: replicas agree and match: PASS
// convert: lsa
#include <mpi.h>
#include <nccl.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "layers.h"

#define CUDA(x) do { cudaError_t e = (x); if (e) { std::printf("%s: %s\n", #x, cudaGetErrorString(e)); MPI_Abort(MPI_COMM_WORLD, e); } } while (0)
#define NCCL(x) do { ncclResult_t e = (x); if (e) { std::printf("%s: %s\n", #x, ncclGetErrorString(e)); MPI_Abort(MPI_COMM_WORLD, e); } } while (0)

struct Bucket {
  float* grad = nullptr;
  size_t count = 0;
  cudaEvent_t ready{}, reduced{};
};

int flag(int argc, char** argv, const char* name, int fallback) {
  size_t length = std::strlen(name);
  for (int i = 1; i < argc; i++)
    if (!std::strncmp(argv[i], name, length) && argv[i][length] == '=') return std::atoi(argv[i] + length + 1);
  return fallback;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int layers = flag(argc, argv, "--layers", 12);
  const size_t params = flag(argc, argv, "--params", 7 << 20);
  const int steps = flag(argc, argv, "--steps", 5);
  const size_t total = layers * params;
  const float lr = 0.1f;

  CUDA(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) NCCL(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  NCCL(ncclCommInitRank(&comm, ranks, id, rank));
  cudaStream_t compute, reduce;
  CUDA(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithFlags(&reduce, cudaStreamNonBlocking));

  float *weights, *grads;
  CUDA(cudaMalloc(&weights, total * sizeof(float)));
  CUDA(cudaMalloc(&grads, total * sizeof(float)));
  std::vector<Bucket> buckets(layers);
  for (int l = 0; l < layers; l++) {
    buckets[l] = {grads + l * params, params};
    CUDA(cudaEventCreateWithFlags(&buckets[l].ready, cudaEventDisableTiming));
    CUDA(cudaEventCreateWithFlags(&buckets[l].reduced, cudaEventDisableTiming));
  }
  init_weights(weights, total, compute);
  NCCL(ncclBroadcast(weights, weights, total, ncclFloat, 0, comm, compute));
  CUDA(cudaStreamSynchronize(compute));

  double begin = MPI_Wtime();
  for (int step = 0; step < steps; step++) {
    for (int l = layers - 1; l >= 0; l--) {
      Bucket& b = buckets[l];
      backward(weights + l * params, b.grad, b.count, rank, step, compute);
      CUDA(cudaEventRecord(b.ready, compute));
      CUDA(cudaStreamWaitEvent(reduce, b.ready, 0));
      NCCL(ncclAllReduce(b.grad, b.grad, b.count, ncclFloat, ncclAvg, comm, reduce));
      CUDA(cudaEventRecord(b.reduced, reduce));
    }
    for (int l = 0; l < layers; l++) {
      CUDA(cudaStreamWaitEvent(compute, buckets[l].reduced, 0));
      sgd(weights + l * params, buckets[l].grad, buckets[l].count, lr, compute);
    }
  }
  CUDA(cudaStreamSynchronize(compute));
  double seconds = MPI_Wtime() - begin;

  auto host = std::make_unique<float[]>(total);
  CUDA(cudaMemcpy(host.get(), weights, total * sizeof(float), cudaMemcpyDeviceToHost));
  int good = 1;
  for (size_t i = 0; i < total; i += std::max<size_t>(1, total / 4096)) {
    double w = 0.001 * (i % 1000);
    for (int step = 0; step < steps; step++) {
      double g = 0;
      for (int r = 0; r < ranks; r++) g += w - 0.5 + 0.01 * (r - step);
      w -= lr * g / ranks;
    }
    good &= std::fabs(w - host[i]) < 1e-4;
  }
  int all;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%.3f ms a step, replicas agree and match: %s\n", 1e3 * seconds / steps, all ? "PASS" : "FAIL");
  for (Bucket& b : buckets) cudaEventDestroy(b.ready), cudaEventDestroy(b.reduced);
  cudaFree(weights);
  cudaFree(grads);
  cudaStreamDestroy(compute);
  cudaStreamDestroy(reduce);
  ncclCommDestroy(comm);
  MPI_Finalize();
  return all ? 0 : 1;
}
