// What all kernels that communicate what they write have in common on the host: counters of their blocks, how tiles
// fill what they write, and launches that wait for the call.
#pragma once

#include <cuco/comm/fallbacks.cuh>
#include <cuco/comm/shape.cuh>
#include <functional>
#include <tuple>
#include <type_traits>

namespace cuco::comm {

// Zero between launches of their stream, on the device. Producers of different kinds have counters of their own.
using ProducerCounters = std::map<std::tuple<ncclComm_t, cudaStream_t, size_t>, void*>;  // With their size.
inline ProducerCounters& producer_counters() {
  thread_local ProducerCounters counters;
  return counters;
}

inline void free_counters(ncclComm_t comm) {
  ProducerCounters& all = producer_counters();
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
  void*& counters = producer_counters()[{comm, stream, sizeof(Counters)}];
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

// A launch that waits for the call which sends what it writes, and gives it the exchange: `Given`, or what is more.
template <typename Given>
struct Deferred {
  std::function<void(const Given*)> launch;  // With nothing: as the program wrote it.
  cudaStream_t stream = nullptr;
  std::vector<const void*> pointers = {};  // That the kernel gets.
  ncclDataType_t reduced = ncclNumTypes;   // The elements that it reduces; none for a kernel that moves bytes.
  Shape shape = {};                        // With the grid of this launch.
};
template <typename Given>
std::vector<Deferred<Given>>& deferred() {
  thread_local std::vector<Deferred<Given>> all;
  return all;
}
template <typename Given>
std::vector<Deferred<Given>> take_deferred() {
  return std::exchange(deferred<Given>(), {});
}
template <typename Given>
void launch_deferred() {
  for (const Deferred<Given>& one : take_deferred<Given>()) one.launch(nullptr);
}

// What launches the kernel gets a pointer to its exchange, which is none where the kernel is to run as written; or the
// exchange itself, which has nothing to do then, so that one kernel serves both.
template <typename Exchange, typename Given, typename Launch>
std::function<void(const Given*)> given(Launch launch) {
  return [launch](const Given* fused) {
    const Exchange* exchange = static_cast<const Exchange*>(fused);
    if constexpr (std::is_invocable_v<Launch, const Exchange*>)
      launch(exchange);
    else
      launch(exchange != nullptr ? *exchange : Exchange{});
  };
}

// In place of a launch, which waits beside `most` at most. One that is not like those that were traced runs at once,
// and so does one with an obstacle, which is said.
template <typename Given>
void defer(Deferred<Given> one, const std::vector<Shape>& shapes, dim3 grid, dim3 block, size_t most,
           const char* (*obstacle_of)(const Shape&)) {
  call_for_waiting(launch_deferred<Given>);
  if (deferred<Given>().size() == most) launch_deferred<Given>();
  bool is_like = false;
  for (const Shape& shape : shapes) {
    if (!shape.fits(grid, block)) continue;
    is_like = note_launch(kCommunicates, true);
    one.shape = shape, one.shape.grid = grid;
    const char* obstacle = obstacle_of(one.shape);
    if (obstacle == nullptr) return deferred<Given>().push_back(std::move(one));
    note_fallback(kCommunicates, obstacle);
  }
  note_launch(kCommunicates, is_like);
  launch_deferred<Given>();
  one.launch(nullptr);
}

}  // namespace cuco::comm
