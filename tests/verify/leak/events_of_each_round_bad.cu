// The timer makes two events for each round and destroys only the second.
// ranks: 2
// expect-finding: leak
#include "../../simulate/support.h"

constexpr int kCount = 1000;

class Timer {
 public:
  void start(cudaStream_t stream) {
    CHECK(cudaEventCreate(&begin_));  // FAULT
    CHECK(cudaEventCreate(&end_));
    CHECK(cudaEventRecord(begin_, stream));
  }
  float stop_ms(cudaStream_t stream) {
    float ms = 0;
    CHECK(cudaEventRecord(end_, stream));
    CHECK(cudaEventSynchronize(end_));
    CHECK(cudaEventElapsedTime(&ms, begin_, end_));
    CHECK(cudaEventDestroy(end_));
    return ms;
  }

 private:
  cudaEvent_t begin_, end_;
};

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float* values;
  CHECK(cudaMalloc(&values, kCount * sizeof(float)));
  upload(values, std::vector<float>(kCount, 1.0f));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  long negative = 0;
  {
    Timer timer;
    for (int round = 0; round < 3; round++) {
      timer.start(stream);
      CHECK(ncclAllReduce(values, values, kCount, ncclFloat, ncclMax, ranks.comm, stream));
      negative += timer.stop_ms(stream) < 0;
    }
  }
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(values));
  return ranks.verdict(negative);
}
