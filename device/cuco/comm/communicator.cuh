// Windows and communicators, on the host. Buffers that are communicated are allocated here, communicators are
// remembered when they are made, and set_up.cuh opens them.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuco/comm/message.cuh>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace cuco::comm {

// Of streams that communication runs on.
enum class Priority { Low, Default, High };

// What set-up provides besides. Each function gives the options with one more.
struct Options;
struct OverlapRoute;  // In overlap.cuh.
struct Options {
  int signal_count = 0, barrier_count = 0, context_count = 1;
  size_t scratch_bytes = 0;
  uint32_t slot_count = 8;
  int stream_count = 0;
  Priority stream_priority = Priority::Default;
  bool exact = false, strong = false, waiting_blocks = false;
  ncclResult_t (*opened)(ncclComm_t, const Options&) = nullptr;  // For every communicator.

  template <typename T>
  constexpr Options with(T Options::*field, T value) const {
    Options changed = *this;
    changed.*field = value;
    return changed;
  }

  // For kernels of the program's own: GIN signals, from Endpoint::first_signal() on; barriers of LSA and, where there
  // is a network, over all ranks; GIN contexts, of which the library uses the first; zeroed window memory on every
  // rank, at windows[kScratchWindow].
  constexpr Options signals(int count) const { return with(&Options::signal_count, count); }
  constexpr Options barriers(int count) const { return with(&Options::barrier_count, count); }
  constexpr Options contexts(int count) const { return with(&Options::context_count, count); }
  constexpr Options scratch(size_t bytes) const { return with(&Options::scratch_bytes, bytes); }
  // Messages that two ranks can have open in one direction, a power of two: as many as parts of a message, or more.
  constexpr Options slots(uint32_t count) const { return with(&Options::slot_count, count); }
  // Exchanges run beside the program's work, on so many streams.
  template <typename Route = OverlapRoute>  // Looked at only where it is asked for.
  constexpr Options overlap(int streams, Priority priority = Priority::Default) const {
    return with(&Options::stream_count, streams)
        .with(&Options::stream_priority, priority)
        .with(&Options::opened, &Route::open);
  }
  // Blocks of kernels wait for what they read.
  constexpr Options blocks_wait() const { return with(&Options::waiting_blocks, true); }
  // Receivers say how many bytes they want: receive_at_most().
  constexpr Options exact_receives() const { return with(&Options::exact, true); }
  // Kernels put several times for one signal.
  constexpr Options strong_signals() const { return with(&Options::strong, true); }
};

struct Registered {
  char* base;
  size_t bytes;
  ncclWindow_t window;
};

// The host's side of a communicator.
struct Channel {
  ncclComm_t comm;
  int rank, ranks, device;
  ncclTeam near;  // Ranks that load and store reach.
  Endpoint endpoint;
  std::vector<Registered> windows;
  std::vector<void*> own_memory;  // The mailbox, and staging for reductions.
  int staging_window = 0;
  size_t staging_bytes = 0;
  std::vector<uint32_t> sent[2], received[2];  // Messages so far by peer, over the network or not.
};

struct Allocation {
  int device;
  char* base;
  size_t bytes;  // As asked for.
};

struct Created {
  int device;
  ncclComm_t comm;
};

// What the parts of the library that a program uses want to be told. Ranks may be threads.
struct Hooks {
  std::vector<void (*)(ncclComm_t)> closing;
  std::vector<void (*)()> waiting;                     // Start the launches that wait for their call.
  void (*wait_for_transfers)(cudaStream_t) = nullptr;  // Makes a stream wait for all that is under way.
  void (*untracked)() = nullptr;
  uint64_t* begun = nullptr;  // Blocks of communication that have started, on the device,
  uint64_t launched = 0;      // and that will.
};
inline Hooks& hooks() {
  thread_local Hooks all;
  return all;
}
inline void call_at_close(void (*function)(ncclComm_t)) {
  for (auto known : hooks().closing)
    if (known == function) return;
  hooks().closing.push_back(function);
}

// Launches that wait for a call which does not come next run as they are written.
inline void launch_waiting() {
  for (auto launch : hooks().waiting) launch();
}
inline void call_for_waiting(void (*function)()) {
  for (auto known : hooks().waiting)
    if (known == function) return;
  hooks().waiting.push_back(function);
}

struct State {
  std::mutex mutex;  // Ranks may be threads.
  std::vector<Allocation> allocations;
  std::vector<Created> created;  // Communicators that are not open yet.
  std::map<ncclComm_t, Channel> channels;
};
inline State& state() {
  static State all;
  return all;
}
inline Channel& channel_of(ncclComm_t comm) {
  std::lock_guard<std::mutex> lock(state().mutex);
  return state().channels.at(comm);
}

inline int current_device() {
  int device = 0;
  cudaGetDevice(&device);
  return device;
}

// Windows have the same size on all ranks. Whole pages even out small differences.
inline size_t window_bytes(size_t bytes) {
  constexpr size_t page = 2 << 20;
  return bytes > page ? (bytes + page - 1) / page * page : page;
}

// In place of ncclMemAlloc, and below of cudaMalloc and cudaMallocAsync, for buffers that are communicated.
template <typename T>
ncclResult_t nccl_allocate(T** pointer, size_t bytes) {
  void* memory = nullptr;
  ncclResult_t result = ncclMemAlloc(&memory, window_bytes(bytes));
  if (result != ncclSuccess) return result;
  std::lock_guard<std::mutex> lock(state().mutex);
  state().allocations.push_back({current_device(), (char*)memory, bytes});
  *pointer = (T*)memory;
  return ncclSuccess;
}
template <typename T>
cudaError_t allocate(T** pointer, size_t bytes, cudaStream_t = nullptr) {
  return nccl_allocate(pointer, bytes) == ncclSuccess ? cudaSuccess : cudaErrorMemoryAllocation;
}

// Around the call that makes a communicator.
inline ncclResult_t created(ncclResult_t result, const ncclComm_t* comm) {
  std::lock_guard<std::mutex> lock(state().mutex);
  if (result == ncclSuccess && *comm != nullptr) state().created.push_back({current_device(), *comm});
  return result;
}

inline ncclResult_t add_window(Channel& channel, char* base, size_t bytes) {
  ncclWindow_t window = nullptr;
  if (channel.windows.size() == kWindows) return ncclInvalidUsage;
  ncclResult_t result = ncclCommWindowRegister(channel.comm, base, bytes, &window, NCCL_WIN_COLL_SYMMETRIC);
  channel.endpoint.windows[channel.windows.size()] = window;
  channel.windows.push_back({base, bytes, window});
  return result;
}

inline std::vector<Allocation> allocations_of(int device) {
  std::lock_guard<std::mutex> lock(state().mutex);
  std::vector<Allocation> found;
  for (const Allocation& one : state().allocations)
    if (one.device == device) found.push_back(one);
  return found;
}

// Memory that is zero on every rank before the first peer can reach it: registration waits for all.
inline ncclResult_t add_zeroed(Channel& channel, size_t bytes) {
  void* memory = nullptr;
  ncclResult_t result = ncclMemAlloc(&memory, bytes);
  if (result != ncclSuccess) return result;
  if (cudaMemset(memory, 0, bytes) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
    return ncclUnhandledCudaError;
  channel.own_memory.push_back(memory);
  return add_window(channel, (char*)memory, bytes);
}
// The mailbox, and scratch where kernels of the program's own want some.
inline ncclResult_t add_own_windows(Channel& channel, const Options& options) {
  ncclResult_t result = add_zeroed(channel, sizeof(Slot) * options.slot_count * channel.ranks);
  return result == ncclSuccess && options.scratch_bytes > 0 ? add_zeroed(channel, options.scratch_bytes) : result;
}

template <typename T>
__global__ void show(const T* from, T* to, size_t count) {
  for (size_t i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
}
// The largest value that any rank has, for each of `values`, by a host collective: this is set-up. A kernel shows them
// to the host, because a copy would be one more among those that carry the program's results.
inline ncclResult_t agree_on_largest(ncclComm_t comm, std::vector<uint64_t>& values) {
  uint64_t *memory = nullptr, *shown = nullptr;
  size_t bytes = values.size() * sizeof(uint64_t);
  if (cudaMalloc(&memory, bytes) != cudaSuccess || cudaMallocHost(&shown, bytes) != cudaSuccess)
    return ncclUnhandledCudaError;
  cudaMemcpy(memory, values.data(), bytes, cudaMemcpyHostToDevice);
  ncclResult_t result = ncclAllReduce(memory, memory, values.size(), ncclUint64, ncclMax, comm, nullptr);
  show<uint64_t><<<1, 32>>>(memory, shown, values.size());
  bool done = cudaStreamSynchronize(nullptr) == cudaSuccess;
  if (done) std::copy_n(shown, values.size(), values.data());
  bool freed = cudaFree(memory) == cudaSuccess && cudaFreeHost(shown) == cudaSuccess;
  return result == ncclSuccess && !(done && freed) ? ncclUnhandledCudaError : result;
}

// A rank that has no use for a buffer still takes part with memory of the others' size.
inline ncclResult_t add_buffer(Channel& channel, const Allocation& one, size_t largest) {
  if (window_bytes(one.bytes) == largest) return add_window(channel, one.base, largest);
  if (one.bytes > 0) {
    std::fprintf(stderr, "rank %d has %zu bytes in a window where another rank has more: all need the same size\n",
                 channel.rank, one.bytes);
    return ncclInvalidArgument;
  }
  void* memory = nullptr;
  ncclResult_t result = ncclMemAlloc(&memory, largest);
  if (result != ncclSuccess) return result;
  channel.own_memory.push_back(memory);
  return add_window(channel, (char*)memory, largest);
}

inline ncclResult_t add_buffers(Channel& channel) {
  std::vector<Allocation> own = allocations_of(channel.device);
  std::vector<uint64_t> counts = {own.size(), UINT64_MAX - own.size()}, sizes;
  ncclResult_t result = agree_on_largest(channel.comm, counts);
  if (result == ncclSuccess && counts[0] != UINT64_MAX - counts[1]) {
    std::fprintf(stderr, "rank %d has %zu windows, another rank has another index\n", channel.rank, own.size());
    return ncclInvalidUsage;
  }
  for (const Allocation& one : own) sizes.push_back(window_bytes(one.bytes));
  if (result == ncclSuccess) result = agree_on_largest(channel.comm, sizes);
  for (size_t i = 0; i < own.size() && result == ncclSuccess; i++) result = add_buffer(channel, own[i], sizes[i]);
  return result;
}

inline ncclDevCommRequirements requirements_of(const Options& options, bool network, int ranks) {
  ncclDevCommRequirements needs = no_requirements();
  if (!network) {
    needs.lsaBarrierCount = options.barrier_count;
    return needs;
  }
  connect_all(needs);
  needs.barrierCount = options.barrier_count;
  needs.ginContextCount = options.context_count;
  needs.ginSignalCount = (int)(2 * options.slot_count * ranks) + options.signal_count;
  if (options.strong) require_strong_signals(needs);
  return needs;
}

inline ncclResult_t open(ncclComm_t comm, const Options& options, bool network) {
  Channel channel = {};
  channel.comm = comm;
  channel.endpoint.slots = options.slot_count;
  channel.endpoint.exact = options.exact;
  ncclResult_t result = ncclCommUserRank(comm, &channel.rank);
  if (result == ncclSuccess) result = ncclCommCount(comm, &channel.ranks);
  if (result == ncclSuccess) result = ncclCommCuDevice(comm, &channel.device);
  if (result == ncclSuccess) result = add_own_windows(channel, options);
  if (result == ncclSuccess) result = add_buffers(channel);
  ncclDevCommRequirements needs = requirements_of(options, network, channel.ranks);
  if (result == ncclSuccess) result = ncclDevCommCreate(comm, &needs, &channel.endpoint.comm);
  channel.near = ncclTeamLsa(comm);
  for (int kind = 0; kind < 2; kind++) {
    channel.sent[kind].assign(channel.ranks, 0);
    channel.received[kind].assign(channel.ranks, 0);
  }
  std::lock_guard<std::mutex> lock(state().mutex);
  state().channels[comm] = channel;
  return result;
}

// By all ranks, when nothing is under way.
inline ncclResult_t close(ncclComm_t comm) {
  for (auto closing : hooks().closing) closing(comm);
  Channel channel;
  {
    std::lock_guard<std::mutex> lock(state().mutex);
    auto found = state().channels.find(comm);
    if (found == state().channels.end()) return ncclSuccess;
    channel = found->second;
    state().channels.erase(found);
  }
  ncclResult_t result = ncclDevCommDestroy(comm, &channel.endpoint.comm);
  for (const Registered& one : channel.windows)
    if (result == ncclSuccess) result = ncclCommWindowDeregister(comm, one.window);
  for (void* memory : channel.own_memory)
    if (result == ncclSuccess) result = ncclMemFree(memory);
  return result;
}

// In place of ncclCommDestroy and ncclCommFinalize.
inline ncclResult_t destroy(ncclComm_t comm) {
  ncclResult_t result = close(comm);
  return result == ncclSuccess ? ncclCommDestroy(comm) : result;
}
inline ncclResult_t finalize(ncclComm_t comm) {
  ncclResult_t result = close(comm);
  return result == ncclSuccess ? ncclCommFinalize(comm) : result;
}

inline bool is_allocated_here(const void* pointer) {
  std::lock_guard<std::mutex> lock(state().mutex);
  for (const Allocation& one : state().allocations)
    if (one.base == pointer) return true;
  return false;
}

// Forgets an allocation; the communicators that have it as a window.
inline std::vector<ncclComm_t> forget(void* pointer) {
  std::lock_guard<std::mutex> lock(state().mutex);
  std::vector<Allocation>& all = state().allocations;
  std::vector<ncclComm_t> users;
  size_t i = 0;
  while (i < all.size() && all[i].base != pointer) i++;
  if (i == all.size()) return users;
  for (const auto& entry : state().channels)
    if (entry.second.device == all[i].device) users.push_back(entry.first);
  all.erase(all.begin() + (ptrdiff_t)i);
  return users;
}

// In place of ncclMemFree, cudaFree and cudaFreeAsync. Windows end before their memory does, so the first buffer to go
// closes the communicators of its device.
inline ncclResult_t nccl_release(void* pointer) {
  ncclResult_t result = ncclSuccess;
  for (ncclComm_t comm : forget(pointer))
    if (result == ncclSuccess) result = close(comm);
  return result == ncclSuccess ? ncclMemFree(pointer) : result;
}
inline cudaError_t release(void* pointer, cudaStream_t = nullptr) {
  // One statement may free windows and other buffers in turn.
  if (pointer == nullptr || !is_allocated_here(pointer)) return cudaFree(pointer);
  cudaError_t idle = cudaDeviceSynchronize();  // As cudaFree does.
  if (idle != cudaSuccess) return idle;
  return nccl_release(pointer) == ncclSuccess ? cudaSuccess : cudaErrorInvalidValue;
}

inline size_t bytes_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8:
    case ncclFloat8e4m3:
    case ncclFloat8e5m2:
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
      return 4;
    default:
      return 8;
  }
}

// Where a pointer lies; window 0, the mailbox, when it is in none.
inline Message message_at(const Channel& channel, const void* pointer, size_t bytes, int peer) {
  Message message = {0, bytes, 0, (int16_t)peer, 0};
  for (size_t i = 1; i < channel.windows.size(); i++) {
    const Registered& window = channel.windows[i];
    const char* byte = (const char*)pointer;
    if (byte < window.base || byte + bytes > window.base + window.bytes || byte == window.base + window.bytes) continue;
    message.window = (int16_t)i;
    message.offset = byte - window.base;
  }
  return message;
}

// Messages over the network are counted apart from those by load and store.
inline bool over_network(const Channel& channel, Via via, int peer) {
  if (via != Via::Hybrid) return via == Via::Gin;
  return !ncclTeamRankIsMember(channel.near, ncclTeamWorld(channel.comm), peer);
}

}  // namespace cuco::comm
