// A thread a rank, started by emplace_back with a function and its arguments.
// expect: ranks threads
// expect: site s1 ncclBroadcast send=model recv=model count=4194304 type=ncclFloat comm=comm stream=stream peer=0 in-place
// expect: operation ncclBroadcast in serve
// expect: loop s1 none
// expect: consumer s1 infer model
// expect: kernel infer model:read answers:write
// expect: convertible s1 yes
// expect-count: 1 launch infer
// expect-not: external
#include <cuda_runtime.h>
#include <nccl.h>

#include <thread>
#include <vector>

__global__ void infer(const float* model, float* answers, size_t parameters) {
  size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < parameters) answers[i] = tanhf(model[i]);
}

static void serve(int rank, int ranks, ncclUniqueId id, size_t parameters) {
  cudaSetDevice(rank);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float *model, *answers;
  cudaMalloc(&model, parameters * sizeof(float));
  cudaMalloc(&answers, parameters * sizeof(float));
  ncclBroadcast(model, model, parameters, ncclFloat, 0, comm, stream);
  infer<<<parameters / 256, 256, 0, stream>>>(model, answers, parameters);
  cudaStreamSynchronize(stream);
  cudaFree(model);
  cudaFree(answers);
  ncclCommDestroy(comm);
}

int main() {
  const int ranks = 4;
  const size_t parameters = 1 << 22;
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  std::vector<std::thread> workers;
  for (int rank = 0; rank < ranks; ++rank) workers.emplace_back(serve, rank, ranks, id, parameters);
  for (std::thread& worker : workers) worker.join();
}
