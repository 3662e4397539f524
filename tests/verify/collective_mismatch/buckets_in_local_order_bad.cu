// Each rank reduces its buckets in the order in which they became ready locally, which is not the same everywhere.
// ranks: 2
// expect-finding: collective_mismatch
#include <mpi.h>
#include <nccl.h>

#include <algorithm>
#include <cstdio>
#include <vector>

struct Bucket {
  int index, count;
  double ready_ms;
  float* gradient;
};

std::vector<Bucket> make_buckets(int rank) {
  std::vector<Bucket> buckets;
  for (int index = 0; index < 3; index++) {
    Bucket bucket{index, 100 * (index + 1), rank % 2 == 0 ? 1.0 * index : 3.0 - index, nullptr};
    std::vector<float> host(bucket.count, rank + index + 1.0f);
    cudaMalloc(&bucket.gradient, bucket.count * sizeof(float));
    cudaMemcpy(bucket.gradient, host.data(), bucket.count * sizeof(float), cudaMemcpyHostToDevice);
    buckets.push_back(bucket);
  }
  return buckets;
}

void reduce_buckets(std::vector<Bucket>& buckets, ncclComm_t comm, cudaStream_t stream) {
  auto earlier = [](const Bucket& a, const Bucket& b) { return a.ready_ms < b.ready_ms; };
  std::sort(buckets.begin(), buckets.end(), earlier);
  for (Bucket& bucket : buckets)
    ncclAllReduce(bucket.gradient, bucket.gradient, bucket.count, ncclFloat, ncclSum, comm, stream);  // FAULT
  cudaStreamSynchronize(stream);
}

int wrong_values(const std::vector<Bucket>& buckets, int ranks) {
  int wrong = 0;
  for (const Bucket& bucket : buckets) {
    std::vector<float> host(bucket.count);
    cudaMemcpy(host.data(), bucket.gradient, bucket.count * sizeof(float), cudaMemcpyDeviceToHost);
    for (float value : host) wrong += value != ranks * (bucket.index + 1.0f) + ranks * (ranks - 1) / 2;
  }
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  cudaSetDevice(rank);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  std::vector<Bucket> buckets = make_buckets(rank);
  reduce_buckets(buckets, comm, stream);
  int wrong = wrong_values(buckets, ranks);
  std::printf("rank %d: %d wrong\n", rank, wrong);
  for (Bucket& bucket : buckets) cudaFree(bucket.gradient);
  cudaStreamDestroy(stream);
  ncclCommDestroy(comm);
  MPI_Finalize();
  return wrong != 0;
}
