// One collective on one element type, for several counts, in place and not. Prints what every rank has at the end of each
// case, so that two programs can be compared. -D CALL=... picks the collective, -D ELEMENT=... the type.
#include <mpi.h>
#include <nccl.h>

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                             \
  do {                                                                          \
    auto result_ = (call);                                                      \
    if (result_ != 0) {                                                         \
      std::fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, (int)result_); \
      std::exit(1);                                                             \
    }                                                                           \
  } while (0)

#if ELEMENT == 0
using Element = int8_t;
#define TYPE ncclInt8
#elif ELEMENT == 1
using Element = __nv_bfloat16;
#define TYPE ncclBfloat16
#elif ELEMENT == 2
using Element = float;
#define TYPE ncclFloat32
#else
using Element = double;
#define TYPE ncclFloat64
#endif

// Small whole numbers: sums are exact in every type, so any order of adding gives the same bits.
__global__ void fill(Element* data, size_t count, int rank, int round) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    data[i] = (Element)(float)((i * 5 + rank * 3 + round) % 7);
}

struct Case {
  size_t count;
  bool in_place;
};

// Elements that a call reads and writes on each rank.
size_t input_count(size_t count, int ranks) {
  bool from_all = CALL == 2 || CALL == 5 || CALL == 7;
  return from_all ? count * ranks : count;
}
size_t output_count(size_t count, int ranks) { return CALL == 0 || CALL == 5 || CALL == 6 ? count * ranks : count; }

uint64_t fingerprint(const Element* device, size_t count) {
  std::vector<Element> host(count);
  CHECK(cudaMemcpy(host.data(), device, count * sizeof(Element), cudaMemcpyDeviceToHost));
  uint64_t hash = 1469598103934665603u;
  const unsigned char* bytes = (const unsigned char*)host.data();
  for (size_t i = 0; i < count * sizeof(Element); i++) hash = (hash ^ bytes[i]) * 1099511628211u;
  return hash;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, devices;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK(cudaGetDeviceCount(&devices));
  CHECK(cudaSetDevice(rank % devices));
  ncclUniqueId id;
  if (rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, ranks, id, rank));

  size_t largest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4096;
  Element *input, *output;
  CHECK(cudaMalloc(&input, largest * ranks * sizeof(Element)));
  CHECK(cudaMalloc(&output, largest * ranks * sizeof(Element)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));

  int round = 0, root = ranks - 1;
  std::vector<size_t> counts = {1, 17, largest};
  CHECK(cudaEventRecord(start, stream));
  for (size_t count : counts) {
    for (int in_place = 0; in_place < (CALL == 5 ? 1 : 2); in_place++) {
      round++;
      Element* to = output;
      Element* from = input;
      // NCCL's rule: the rank's own part of the larger buffer.
      if (in_place && (CALL == 0 || CALL == 6)) from = output + rank * count;
      if (in_place && (CALL == 2 || CALL == 7)) to = input + rank * count;
      if (in_place && (CALL == 1 || CALL == 3 || CALL == 4)) to = input;
      fill<<<8, 128, 0, stream>>>(output, output_count(count, ranks), 100, round);
      fill<<<8, 128, 0, stream>>>(from, input_count(count, ranks), rank, round);
#if CALL == 0
      CHECK(ncclAllGather(from, to, count, TYPE, comm, stream));
#elif CALL == 1
      CHECK(ncclAllReduce(from, to, count, TYPE, ncclSum, comm, stream));
#elif CALL == 2
      CHECK(ncclReduceScatter(from, to, count, TYPE, ncclSum, comm, stream));
#elif CALL == 3
      CHECK(ncclBroadcast(from, to, count, TYPE, root, comm, stream));
#elif CALL == 4
      CHECK(ncclReduce(from, to, count, TYPE, ncclMax, root, comm, stream));
#elif CALL == 5
      CHECK(ncclAlltoAll(from, to, count, TYPE, comm, stream));
#elif CALL == 6
      CHECK(ncclGather(from, to, count, TYPE, root, comm, stream));
#else
      CHECK(ncclScatter(from, to, count, TYPE, root, comm, stream));
#endif
      bool has_result = (CALL != 4 && CALL != 6) || rank == root;
      CHECK(cudaStreamSynchronize(stream));
      if (has_result)
        std::printf("rank %d count %zu in place %d: %016llx\n", rank, count, in_place,
                    (unsigned long long)fingerprint(to, output_count(count, ranks)));
    }
  }
  CHECK(cudaEventRecord(stop, stream));
  CHECK(cudaEventSynchronize(stop));
  float milliseconds;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CHECK(cudaFree(input));
  CHECK(cudaFree(output));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
  MPI_Finalize();
}
