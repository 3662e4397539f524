// Options that sscanf writes are not their defaults; a helper reads the clock; one rank's peers are told as written.
// expect: site s1 ncclSend send=data recv=none count=options.count type=ncclFloat comm=comm stream=stream peer=at + 1
// expect: site s2 ncclRecv send=none recv=data count=options.count type=ncclFloat comm=comm stream=stream peer=at - 1
// expect: buffer data device bytes=4*options.count frees=0
// expect-not: 4096
#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdio>
#include <ctime>
#include <thread>
#include <vector>

struct Options {
  int count = 4096;
};

static Options read(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (sscanf(argv[i], "--count=%d", &options.count) == 1) continue;
    return options;
  }
  return options;
}

static void pass_on(float* data, int n, int at, int ranks, ncclComm_t comm, cudaStream_t stream) {
  if (at + 1 < ranks) ncclSend(data, n, ncclFloat, at + 1, comm, stream);
  if (at > 0) ncclRecv(data, n, ncclFloat, at - 1, comm, stream);
}

int main(int argc, char** argv) {
  Options options = read(argc, argv);
  int ranks;
  cudaGetDeviceCount(&ranks);
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  std::vector<std::thread> crew;
  for (int i = 0; i < ranks; ++i)
    crew.emplace_back([&, i] {
      cudaSetDevice(i);
      ncclComm_t comm;
      ncclCommInitRank(&comm, ranks, id, i);
      cudaStream_t stream;
      cudaStreamCreate(&stream);
      float* data;
      cudaMalloc(&data, options.count * sizeof(float));
      for (int round = 0; round < 4; ++round) pass_on(data, options.count, i, ranks, comm, stream);
      cudaStreamSynchronize(stream);
    });
  for (std::thread& one : crew) one.join();
}
