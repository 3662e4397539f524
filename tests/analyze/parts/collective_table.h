// What a benchmark is made of: functions in a table that another file fills in.
#pragma once
#include <cuda_runtime_api.h>
#include <nccl.h>

struct Collective {
  const char* name;
  void (*start)(const float* in, float* out, size_t count, ncclComm_t comm, cudaStream_t stream);
};
struct Engine {
  void (*run)(const Collective* collective, ncclComm_t comm, cudaStream_t stream);
};
extern Collective collective;
extern struct Engine engine;
