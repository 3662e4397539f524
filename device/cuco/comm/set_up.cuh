// Opening the communicators of a program.
#pragma once

#include <cuco/comm/launch.cuh>
#include <cuco/comm/path.cuh>

namespace cuco::comm {

// A message of no bytes to and from every peer: what is connected at first use is so before anything is timed.
template <typename Path>
cudaError_t begin_warm_up(Channel& channel) {
  OnDevice on(channel.device);
  Piece work;
  for (int step = 1; step < channel.ranks; step++) {
    int peer = (channel.rank + step) % channel.ranks;
    bool far = over_network(channel, Path::kVia, peer);
    work.sends.push_back({0, 0, channel.sent[far][peer]++, (int16_t)peer, 0});
    work.receives.push_back({0, 0, channel.received[far][peer]++, (int16_t)peer, 0});
  }
  return run(work, exchange_for<0, Path>, 1, kThreads, channel, channel.set_up);
}
// The ranks of one thread, before any of them is waited for.
template <typename Path>
ncclResult_t warm_up(const std::vector<ncclComm_t>& comms) {
  cudaError_t result = cudaSuccess;
  for (ncclComm_t comm : comms)
    if (result == cudaSuccess) result = begin_warm_up<Path>(channel_of(comm));
  for (ncclComm_t comm : comms) {
    OnDevice on(channel_of(comm).device);
    if (result == cudaSuccess) result = cudaStreamSynchronize(channel_of(comm).set_up);
  }
  return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

// The communicators that are not open yet and are this thread's: those that it made or, where it made none, those of
// its device. Those of several devices are set up together, the first of each, then the second.
inline std::vector<std::vector<ncclComm_t>> take_created() {
  std::lock_guard<std::mutex> lock(state().mutex);
  std::vector<Created>& all = state().created;
  auto is_own = [](const Created& one) { return one.thread == std::this_thread::get_id(); };
  bool made_some = std::any_of(all.begin(), all.end(), is_own);
  auto first = std::stable_partition(all.begin(), all.end(), [&](const Created& one) {
    return !(made_some ? is_own(one) : one.device == current_device());
  });
  std::map<int, std::vector<ncclComm_t>> by_turn;
  std::map<int, int> turns;  // By device.
  for (auto one = first; one != all.end(); ++one) by_turn[turns[one->device]++].push_back(one->comm);
  all.erase(first, all.end());
  std::vector<std::vector<ncclComm_t>> taken;
  for (const auto& turn : by_turn) taken.push_back(turn.second);
  return taken;
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
  for (const std::vector<ncclComm_t>& comms : take_created()) {
    ncclResult_t result = open(comms, options, network);
    for (ncclComm_t comm : comms)
      if (result == ncclSuccess && options.opened != nullptr) result = options.opened(comm, options);
    ((result = result == ncclSuccess ? warm_up<Paths>(comms) : result), ...);
    require_open(result);
  }
}

// Around the call that makes communicators, or ends the group that does, where no buffer has to be there first.
template <typename... Paths>
ncclResult_t opened(ncclResult_t result, const Options& options) {
  if (result == ncclSuccess || result == ncclInProgress) open_all<Paths...>(options);
  return result;
}

}  // namespace cuco::comm
