// Gathers the ranks' values, and misbehaves in the way that the parameter `fault` chooses; 0 is the honest program.
#include <cuco/harness.h>
#include <unistd.h>

#include <thread>

#include "ranks.h"

enum Fault {
  kHonest,
  kForgetsToWait,
  kLeavesAStreamBusy,
  kExitsInRegion,
  kExitsBefore,
  kNamesOtherBuffers,
  kLeavesAThread,
  kReadsPoison,
  kWritesHalf,
  kNamesTooMuch,
  kNamesNoOutput,
  kOpensTwice,
  kNeverRuns,
  kSpinsOn,
  kRecordsAnEvent,
  kKeepsAThread,
  kTakesTime,
};

// What it adds was never written.
__global__ void add_to(const float* from, float* to, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] += from[i];
}

__global__ void spin(volatile int* flag) {
  while (*flag == 0) {
  }
}

struct Program {
  Ranks& ranks;
  int fault, count;
  float *values, *gathered;
  int* flag;
  cudaStream_t other;
  cudaEvent_t event;

  void gather() { CHECK(ncclAllGather(values, gathered, count, ncclFloat, ranks.comm, ranks.stream)); }
  void step();
  void misbehave();
};

void Program::step() {
  if (fault == kReadsPoison) add_to<<<1, 128, 0, ranks.stream>>>(gathered, values, count);
  if (fault == kExitsInRegion && ranks.rank == 1) std::exit(0);
  if (fault == kWritesHalf)
    CHECK(cudaMemcpyAsync(gathered, values, count * sizeof(float), cudaMemcpyDeviceToDevice, ranks.stream));
  else
    gather();
  if (fault != kForgetsToWait) CHECK(cudaStreamSynchronize(ranks.stream));
  misbehave();
}

void Program::misbehave() {
  if (fault == kLeavesAStreamBusy) CHECK(cudaMemsetAsync(flag, 0, sizeof *flag, other));
  if (fault == kSpinsOn) spin<<<1, 1, 0, other>>>(flag);
  if (fault == kRecordsAnEvent) CHECK(cudaEventRecord(event, ranks.stream));
  if (fault == kTakesTime && ranks.rank == 1) usleep(500);
  if (fault == kLeavesAThread)
    std::thread([this] {
      usleep(50);
      CHECK(cudaMemcpy(gathered, gathered + 1, sizeof(float), cudaMemcpyDeviceToDevice));
    }).detach();
}

void name_buffers(cuco::Harness& harness, const Program& program) {
  int count = program.count, gathered = count * program.ranks.count;
  harness.input("values", program.values, count, cuco::normal(0, 1));
  if (program.fault == kNamesNoOutput) return harness.scratch("gathered", program.gathered, gathered);
  bool differs = program.fault == kNamesOtherBuffers && program.ranks.rank == 1;
  if (program.fault == kNamesTooMuch) gathered++;
  harness.output(differs ? "all" : "gathered", program.gathered, gathered, cuco::exact());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  cuco::Harness harness(ranks.rank, ranks.count, argc, argv);
  Program program = {ranks, static_cast<int>(harness.parameter("fault", 0)),
                     static_cast<int>(harness.parameter("count", 64))};
  harness.require(program.count > 0, "count must be positive");
  program.values = allocate<float>(program.count);
  program.gathered = allocate<float>(program.count * ranks.count);
  program.flag = allocate<int>(1);
  CHECK(cudaMemset(program.flag, 0, sizeof(int)));
  CHECK(cudaStreamCreateWithFlags(&program.other, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&program.event));
  if (program.fault == kExitsBefore && ranks.rank == 1) std::exit(0);
  if (program.fault == kOpensTwice) cuco::Harness second(ranks.rank, ranks.count, argc, argv);
  bool stops = false;
  std::thread background;
  if (program.fault == kKeepsAThread)
    background = std::thread([&] {
      while (!stops) usleep(1000);
    });
  name_buffers(harness, program);
  if (program.fault != kNeverRuns) harness.run([&] { program.step(); });
  stops = true;
  if (background.joinable()) background.join();
  CHECK(cudaEventDestroy(program.event));
  CHECK(cudaStreamDestroy(program.other));
  CHECK(cudaFree(program.values));
  CHECK(cudaFree(program.gathered));
  CHECK(cudaFree(program.flag));
}
