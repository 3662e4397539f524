// The root of the broadcast is computed at run time, but from values that all ranks have exchanged.
// ranks: 3
// expect: no findings
#include "../../simulate/support.h"

constexpr int kCount = 64;

float loss_seen_by(int observer, int candidate) { return 1.0f + (candidate * 5 + observer * 3) % 7; }

int best_rank(int observer, int ranks) {
  int best = 0;
  std::vector<float> losses(ranks);
  float own = loss_seen_by(observer, observer);
  MPI_Allgather(&own, 1, MPI_FLOAT, losses.data(), 1, MPI_FLOAT, MPI_COMM_WORLD);
  for (int candidate = 1; candidate < ranks; candidate++)
    if (losses[candidate] < losses[best]) best = candidate;
  return best;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* weights;
  CHECK(cudaMalloc(&weights, kCount * sizeof(float)));
  upload(weights, std::vector<float>(kCount, ranks.rank * 10.0f));
  int root = best_rank(ranks.rank, ranks.count);
  CHECK(ncclBroadcast(weights, weights, kCount, ncclFloat, root, ranks.comm, nullptr));
  CHECK(cudaDeviceSynchronize());
  long wrong = 0;
  for (float value : download(weights, kCount)) wrong += value != root * 10.0f;
  CHECK(cudaFree(weights));
  return ranks.verdict(wrong);
}
