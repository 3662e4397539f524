// What the measuring programs of cuco calibrate share: the ranks, ways to repeat something and time it, and the lines
// they print, which src/gpu/calibration/calibration.h reads. One fact a line, on rank 0's standard output:
//
//   machine KEY VALUE
//   measure NAME WHO SIZE WORK MEDIAN LEAST MOST COUNT
//
// WHO is "all" when every rank did it at once and "alone" when only rank 0 did. SIZE is bytes, blocks or clocks, as the
// name says, else 0. WORK is the operations or bytes that one time was for, 0 where only the time counts. Times are
// microseconds: the median of COUNT samples, the least and the most of them.
#pragma once

#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace calibrate {

inline void fail(const char* library, const char* reason) {
  std::fprintf(stderr, "%s: %s\n", library, reason);
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
inline void check(cudaError_t result) {
  if (result != cudaSuccess) fail("CUDA", cudaGetErrorString(result));
}
inline void check(ncclResult_t result) {
  if (result != ncclSuccess) fail("NCCL", ncclGetErrorString(result));
}

inline double now_us() {
  auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::micro>(since).count();
}

enum class Who { All, Alone };

// One MPI process is one rank.
struct Ranks {
  int rank = 0, count = 1, per_node = 1;
  cudaDeviceProp device = {};
  int sm_count = 1;  // That this rank may use: less than the device's under a share of MPS.
  cudaStream_t stream = nullptr;

  Ranks(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    choose_device();
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  ~Ranks() {
    check(cudaStreamDestroy(stream));
    MPI_Finalize();
  }
  Ranks(const Ranks&) = delete;

  bool takes_part(Who who) const { return who == Who::All || rank == 0; }
  bool is_first() const { return rank == 0; }

 private:
  // Ranks of one machine may be on nodes that only pretend to be several, as NCCL tells them apart too.
  static int ranks_of_this_host_id(MPI_Comm node) {
    const char* id = std::getenv("NCCL_HOSTID");
    unsigned hash = 0;
    for (const char* at = id ? id : ""; *at; at++) hash = hash * 31 + static_cast<unsigned char>(*at);
    MPI_Comm same;
    int size = 1;
    MPI_Comm_split(node, static_cast<int>(hash & 0x7fffffff), 0, &same);
    MPI_Comm_size(same, &size);
    MPI_Comm_free(&same);
    return size;
  }

  void choose_device() {
    MPI_Comm node;
    int local = 0, devices = 0, index = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local);
    per_node = ranks_of_this_host_id(node);
    MPI_Comm_free(&node);
    check(cudaGetDeviceCount(&devices));
    index = local % devices;
    check(cudaSetDevice(index));
    check(cudaGetDeviceProperties(&device, index));
    check(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, index));
  }
};

// A communicator over all ranks.
struct Communicator {
  ncclComm_t comm = nullptr;

  explicit Communicator(const Ranks& ranks) {
    ncclUniqueId id;
    if (ranks.is_first()) check(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    check(ncclCommInitRank(&comm, ranks.count, id, ranks.rank));
  }
  ~Communicator() { check(ncclCommDestroy(comm)); }
  Communicator(const Communicator&) = delete;
};

struct DeviceBytes {
  char* data = nullptr;
  size_t bytes;

  explicit DeviceBytes(size_t n) : bytes(n) {
    check(cudaMalloc(&data, n));
    check(cudaMemset(data, 0, n));
  }
  ~DeviceBytes() { check(cudaFree(data)); }
  DeviceBytes(const DeviceBytes&) = delete;
};

// Keeps a block busy for so many clocks of its multiprocessor.
static __global__ void spin(long long clocks) {
  long long begin = clock64();
  while (clock64() - begin < clocks) {
  }
}

constexpr long long kShortSpin = 20'000, kLongSpin = 40'000;  // About 10 and 20 us: longer than the host's calls take.

struct Event {
  cudaEvent_t event = nullptr;
  explicit Event(unsigned flags = cudaEventDefault) { check(cudaEventCreateWithFlags(&event, flags)); }
  ~Event() { check(cudaEventDestroy(event)); }
  Event(const Event&) = delete;
};

// Microseconds that the stream takes for each of `repeat` rounds of enqueue(i), which are queued behind a kernel that
// gives the host time to get ahead.
template <typename Enqueue>
double queued_us(const Ranks& ranks, int repeat, Enqueue enqueue) {
  constexpr long long kHeadStart = 400'000;
  Event begin, end;
  spin<<<1, 1, 0, ranks.stream>>>(kHeadStart);
  check(cudaEventRecord(begin.event, ranks.stream));
  for (int i = 0; i < repeat; i++) enqueue(i);
  check(cudaEventRecord(end.event, ranks.stream));
  check(cudaStreamSynchronize(ranks.stream));
  float ms = 0;
  check(cudaEventElapsedTime(&ms, begin.event, end.event));
  return ms * 1e3 / repeat;
}

// Runs sample() `count` times after some of warm-up, started together on the ranks that take part.
template <typename Sample>
std::vector<double> samples_of(const Ranks& ranks, Who who, int count, Sample sample) {
  constexpr int kWarmups = 2;
  std::vector<double> samples;
  for (int i = 0; i < count + kWarmups; i++) {
    MPI_Barrier(MPI_COMM_WORLD);
    double us = ranks.takes_part(who) ? sample() : 0;
    if (i >= kWarmups) samples.push_back(us);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return samples;
}

// The slowest rank of each round.
inline std::vector<double> slowest(const std::vector<double>& mine) {
  std::vector<double> most(mine.size());
  MPI_Reduce(mine.data(), most.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return most;
}

// Samples of all ranks that took part: for what a rank waits for by itself.
inline std::vector<double> pooled(const Ranks& ranks, Who who, const std::vector<double>& mine) {
  int n = static_cast<int>(mine.size());
  std::vector<double> all(mine.size() * static_cast<size_t>(ranks.count));
  MPI_Gather(mine.data(), n, MPI_DOUBLE, all.data(), n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (who == Who::Alone) all.resize(mine.size());
  return all;
}

struct Label {
  const char* name;
  Who who = Who::All;
  double size = 0, work = 0;
};

inline void print(const Ranks& ranks, const Label& label, std::vector<double> samples) {
  if (!ranks.is_first()) return;
  std::sort(samples.begin(), samples.end());
  std::printf("measure %s %s %.0f %.17g %.6g %.6g %.6g %zu\n", label.name, label.who == Who::All ? "all" : "alone",
              label.size, label.work, samples[samples.size() / 2], samples.front(), samples.back(), samples.size());
  std::fflush(stdout);
}

// The two ways to measure: the time of the slowest rank, and the time of any rank.
template <typename Sample>
void measure_together(const Ranks& ranks, const Label& label, int count, Sample sample) {
  print(ranks, label, slowest(samples_of(ranks, label.who, count, sample)));
}
template <typename Sample>
void measure_each(const Ranks& ranks, const Label& label, int count, Sample sample) {
  print(ranks, label, pooled(ranks, label.who, samples_of(ranks, label.who, count, sample)));
}

}  // namespace calibrate
