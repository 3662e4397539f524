// The root calls ncclBroadcast, the others ncclBcast, which is the same operation in place.
// ranks: 2
// expect: no findings
#include "../../simulate/support.h"

constexpr int kCount = 120;

template <class T>
void share(T* values, size_t count, ncclDataType_t type, const Ranks& ranks) {
  if (ranks.rank == 0) {
    CHECK(ncclBroadcast(values, values, count, type, 0, ranks.comm, nullptr));
  } else {
    CHECK(ncclBcast(values, count, type, 0, ranks.comm, nullptr));
  }
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* values;
  CHECK(cudaMalloc(&values, kCount * sizeof(float)));
  upload(values, std::vector<float>(kCount, ranks.rank == 0 ? 2.5f : 0.0f));
  share(values, kCount, ncclFloat, ranks);
  CHECK(cudaDeviceSynchronize());
  long wrong = 0;
  for (float value : download(values, kCount)) wrong += value != 2.5f;
  CHECK(cudaFree(values));
  return ranks.verdict(wrong);
}
