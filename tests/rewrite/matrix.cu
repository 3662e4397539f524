// One collective on every element type, for several counts, in place and not:
//   matrix COLLECTIVE COUNT...
// Prints what every rank has at the end of each case, so that two programs can be compared.
#include <cuda_bf16.h>

#include <algorithm>
#include <string>

#include "support.h"

template <typename T>
struct Nccl;
template <>
struct Nccl<int8_t> {
  static constexpr ncclDataType_t type = ncclInt8;
};
template <>
struct Nccl<__nv_bfloat16> {
  static constexpr ncclDataType_t type = ncclBfloat16;
};
template <>
struct Nccl<float> {
  static constexpr ncclDataType_t type = ncclFloat32;
};
template <>
struct Nccl<double> {
  static constexpr ncclDataType_t type = ncclFloat64;
};

// Elements behind an output, which no call may touch.
constexpr size_t kGuard = 16;

// Small whole numbers: sums are exact in every type, so any order of adding gives the same bits.
template <typename T>
__global__ void fill(T* data, size_t count, int rank, int round) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    data[i] = (T)(float)((i * 5 + rank * 3 + round) % 7);
}

struct Call {
  std::string name;
  Ranks& self;
  ncclComm_t comm;
  cudaStream_t stream;
  char *input, *output;
  int root;

  bool is(const char* other) const { return name == other; }
  size_t input_count(size_t count) const {
    return is("reduce_scatter") || is("all_to_all") || is("scatter") ? count * self.count : count;
  }
  size_t output_count(size_t count) const {
    return is("all_gather") || is("all_to_all") || is("gather") ? count * self.count : count;
  }
  // NCCL takes an all-to-all out of place only.
  bool can_be_in_place() const { return !is("all_to_all"); }
};

template <typename T>
void communicate(const Call& call, const T* from, T* to, size_t count) {
  constexpr ncclDataType_t type = Nccl<T>::type;
  if (call.is("all_gather"))
    CHECK(ncclAllGather(from, to, count, type, call.comm, call.stream));
  else if (call.is("all_reduce"))
    CHECK(ncclAllReduce(from, to, count, type, ncclSum, call.comm, call.stream));
  else if (call.is("reduce_scatter"))
    CHECK(ncclReduceScatter(from, to, count, type, ncclSum, call.comm, call.stream));
  else if (call.is("broadcast"))
    CHECK(ncclBroadcast(from, to, count, type, call.root, call.comm, call.stream));
  else if (call.is("reduce"))
    CHECK(ncclReduce(from, to, count, type, ncclMax, call.root, call.comm, call.stream));
  else if (call.is("all_to_all"))
    CHECK(ncclAlltoAll(from, to, count, type, call.comm, call.stream));
  else if (call.is("gather"))
    CHECK(ncclGather(from, to, count, type, call.root, call.comm, call.stream));
  else if (call.is("scatter"))
    CHECK(ncclScatter(from, to, count, type, call.root, call.comm, call.stream));
  else
    CHECK(!"a collective that this program knows");
}

template <typename T>
void run_case(const Call& call, size_t count, bool in_place, int round) {
  size_t outputs = call.output_count(count), inputs = call.input_count(count);
  T* from = (T*)call.input;
  T* to = (T*)call.output;
  // NCCL's rule: the rank's own part of the larger buffer.
  if (in_place && outputs > inputs) from = to + call.self.rank * count;
  if (in_place && outputs < inputs) to = from + call.self.rank * count;
  if (in_place && outputs == inputs) to = from;
  fill<T><<<8, 128, 0, call.stream>>>(to, outputs + kGuard, 100, round);
  fill<T><<<8, 128, 0, call.stream>>>(from, inputs, call.self.rank, round);
  communicate<T>(call, from, to, count);
  CHECK(cudaStreamSynchronize(call.stream));
  std::string name = std::to_string(count) + " x type " + std::to_string((int)Nccl<T>::type) +
                     (in_place ? " in place" : " out of place");
  print_fingerprint(name.c_str(), call.self.rank, to, outputs + kGuard);
}

template <typename T>
void run_type(const Call& call, const std::vector<size_t>& counts) {
  int round = 0;
  for (size_t count : counts) {
    run_case<T>(call, count, false, round++);
    if (call.can_be_in_place()) run_case<T>(call, count, true, round++);
  }
}

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  std::vector<size_t> counts;
  for (int i = 2; i < argc; i++) counts.push_back(std::strtoull(argv[i], nullptr, 10));
  size_t bytes = (*std::max_element(counts.begin(), counts.end()) * self.count + kGuard) * sizeof(double);
  char *input, *output;
  CHECK(cudaMalloc(&input, bytes));
  CHECK(cudaMalloc(&output, bytes));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));

  Call call = {argv[1], self, comm, stream, input, output, self.count - 1};
  CHECK(cudaEventRecord(start, stream));
  run_type<int8_t>(call, counts);
  run_type<__nv_bfloat16>(call, counts);
  run_type<float>(call, counts);
  run_type<double>(call, counts);
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
}
