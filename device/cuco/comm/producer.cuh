// What all kernels that communicate what they write have in common on the host: counters of their blocks, how tiles
// fill what they write, and what is said where a launch that was to communicate runs as written.
#pragma once

#include <cstdio>
#include <cuco/comm/communicator.cuh>
#include <cuco/comm/shape.cuh>
#include <string>
#include <tuple>
#include <vector>

namespace cuco::comm {

// Zero between launches of their stream, on the device. Producers of different kinds have counters of their own.
struct ProducerCounters {
  using Key = std::tuple<ncclComm_t, cudaStream_t, size_t>;  // With their size.
  std::map<Key, void*> all;
  std::vector<std::string> said;  // Why launches ran as written.
  bool has_fused = false, has_unlike = false;  // Launches that communicated; those unlike what the plan is for.
};
inline ProducerCounters& producer_counters() {
  thread_local ProducerCounters counters;
  return counters;
}

inline void free_counters(ncclComm_t comm) {
  auto& all = producer_counters().all;
  for (auto one = all.begin(); one != all.end();) {
    bool goes = std::get<ncclComm_t>(one->first) == comm;
    if (goes) cudaFree(one->second);
    one = goes ? all.erase(one) : std::next(one);
  }
}

// Launches that share counters follow each other in their stream.
template <typename Counters>
Counters* counters_of(ncclComm_t comm, cudaStream_t stream) {
  call_at_close(free_counters);
  void*& counters = producer_counters().all[{comm, stream, sizeof(Counters)}];
  if (counters == nullptr && cudaMalloc(&counters, sizeof(Counters)) == cudaSuccess)
    cudaMemsetAsync(counters, 0, sizeof(Counters), stream);  // The stream may wait for no other.
  return (Counters*)counters;
}

// How many bytes tiles fill, none twice: pieces lie one behind the other along what has the shortest steps, these runs
// along what has the next, and so on. 0: they do not.
inline int64_t filled_by(const Tiles& tiles, const dim3& grid) {
  std::pair<int64_t, int64_t> steps[] = {
      {tiles.steps[0], grid.x}, {tiles.steps[1], grid.y}, {tiles.steps[2], grid.z}, {tiles.stride, tiles.count}};
  std::sort(std::begin(steps), std::end(steps));
  int64_t run = tiles.bytes;
  for (const auto& [step, count] : steps) {
    if (count == 1) continue;
    if (step != run) return 0;
    run *= count;
  }
  return run;
}

// A launch whose shape fits was to communicate, and runs as written; the exchange follows it. Said once for each
// reason.
inline void note_fallback(const char* reason) {
  std::vector<std::string>& said = producer_counters().said;
  if (std::find(said.begin(), said.end(), reason) != said.end()) return;
  said.push_back(reason);
  std::fprintf(stderr, "cuco::comm: a kernel does not communicate what it writes: %s\n", reason);
}

// At the end: a plan of which no launch was the one that it is for.
inline void note_unlike() {
  const ProducerCounters& seen = producer_counters();
  if (seen.has_unlike && !seen.has_fused) note_fallback("no launch has the grid and block that it is made for");
}

}  // namespace cuco::comm
