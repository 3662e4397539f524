// Opening the communicators of a program.
#pragma once

#include <cuco/comm/launch.cuh>
#include <cuco/comm/path.cuh>

namespace cuco::comm {

// A message of no bytes to and from every peer: what is connected at first use is so before anything is timed.
template <typename Path>
ncclResult_t warm_up(Channel& channel) {
  Piece work;
  for (int step = 1; step < channel.ranks; step++) {
    int peer = (channel.rank + step) % channel.ranks;
    bool far = over_network(channel, Path::kVia, peer);
    work.sends.push_back({0, 0, channel.sent[far][peer]++, (int16_t)peer, 0});
    work.receives.push_back({0, 0, channel.received[far][peer]++, (int16_t)peer, 0});
  }
  cudaError_t result = run(work, exchange_for<0, Path>, 1, kThreads, channel, nullptr);
  if (result == cudaSuccess) result = cudaStreamSynchronize(nullptr);
  return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

// The communicators of this thread's device that are not open yet.
inline std::vector<Created> take_created() {
  std::vector<Created> mine, others;
  std::lock_guard<std::mutex> lock(state().mutex);
  for (const Created& one : state().created) (one.device == current_device() ? mine : others).push_back(one);
  state().created = others;
  return mine;
}

inline void require_open(ncclResult_t result) {
  if (result == ncclSuccess) return;
  std::fprintf(stderr, "device communication cannot be set up: %s\n", ncclGetErrorString(result));
  std::exit(1);
}

// By all ranks, when every buffer that they will communicate is allocated and every communicator made. `Paths` are all
// that calls of the program go by: open_all<Lsa>().
template <typename... Paths>
void open_all(const Options& options = {}) {
  constexpr bool network = ((Paths::kVia != Via::Lsa) || ...);
  for (const Created& one : take_created()) {
    ncclResult_t result = open(one.comm, options, network);
    if (result == ncclSuccess && options.opened != nullptr) result = options.opened(one.comm, options);
    ((result = result == ncclSuccess ? warm_up<Paths>(channel_of(one.comm)) : result), ...);
    require_open(result);
  }
}

}  // namespace cuco::comm
