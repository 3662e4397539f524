// Windows and communicators, on the host. Buffers that are communicated are allocated here, communicators are
// remembered when they are made, and set_up.cuh opens them.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuco/comm/message.cuh>
#include <map>
#include <mutex>
#include <thread>
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
  bool has_staging = false, has_buffers = true;
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
  // Some calls, or all of them, are on memory that is no window: staged.cuh.
  constexpr Options some_staged() const { return with(&Options::has_staging, true); }
  constexpr Options all_staged() const { return some_staged().with(&Options::has_buffers, false); }
  // Kernels put several times for one signal.
  constexpr Options strong_signals() const { return with(&Options::strong, true); }
};

struct Registered {
  char* base;
  size_t bytes;
  ncclWindow_t window;
};

// A window of the library's own memory.
struct OwnWindow {
  int window = 0;
  char* base = nullptr;
  size_t bytes = 0;
};
constexpr size_t kStagedBytes = 64 << 10;  // Of a message, at a time.

// The host's side of a communicator.
struct Channel {
  ncclComm_t comm;
  std::vector<ncclComm_t> beside;  // Of the ranks that its thread drives, this one among them.
  int rank, ranks, device;
  ncclTeam near;  // Ranks that load and store reach.
  Endpoint endpoint;
  std::vector<Registered> windows;
  std::vector<void*> own_memory;
  OwnWindow staging;  // What a reduction gets from peers.
  OwnWindow packing;  // Parts that are pieces of rows, put together.
  OwnWindow staged;   // Calls on memory that is no window: what leaves in the first half, then what comes.
  cudaEvent_t staged_done = nullptr;  // The last of these calls.
  cudaStream_t set_up = nullptr;  // Waits for no other stream: another communicator's kernels may be waiting for peers.
  std::vector<uint32_t> sent[2], received[2];  // Messages so far by peer, over the network or not.
};

struct Allocation {
  int device;
  char* base;
  size_t bytes;  // As asked for.
  std::thread::id thread;
};

struct Created {
  int device;
  ncclComm_t comm;
  std::thread::id thread;
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
template <typename Function>
void add_once(std::vector<Function>& all, Function function) {
  if (std::find(all.begin(), all.end(), function) == all.end()) all.push_back(function);
}
inline void call_at_close(void (*function)(ncclComm_t)) { add_once(hooks().closing, function); }

// Launches that wait for a call which does not come next run as they are written.
inline void launch_waiting() {
  for (auto launch : hooks().waiting) launch();
}
inline void call_for_waiting(void (*function)()) { add_once(hooks().waiting, function); }

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
  auto found = state().channels.find(comm);
  if (found != state().channels.end()) return found->second;
  std::fprintf(stderr, "communication on a communicator that is not open: a buffer that was its window was freed, perhaps\n");
  std::abort();
}

inline int current_device() {
  int device = 0;
  cudaGetDevice(&device);
  return device;
}
// A thread may drive several GPUs: a call is for that of its communicator, whichever is current.
class OnDevice {
 public:
  explicit OnDevice(int device) : before_(current_device()), wanted_(device) {
    if (before_ != wanted_) cudaSetDevice(wanted_);
  }
  ~OnDevice() {
    if (before_ != wanted_) cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_, wanted_;
};

// Windows have the same size on all ranks. Whole pages even out small differences.
inline size_t window_bytes(size_t bytes) {
  constexpr size_t page = 2 << 20;
  return bytes > page ? (bytes + page - 1) / page * page : page;
}

// Around the call that makes a communicator, or several.
inline ncclResult_t created(ncclResult_t result, const ncclComm_t* comms, int count = 1) {
  if (result != ncclSuccess && result != ncclInProgress) return result;
  for (int i = 0; i < count; i++) {
    int device = current_device();
    if (comms[i] == nullptr) continue;
    if (count > 1) ncclCommCuDevice(comms[i], &device);
    std::lock_guard<std::mutex> lock(state().mutex);
    state().created.push_back({device, comms[i], std::this_thread::get_id()});
  }
  return result;
}
// The same inside a group: the communicator is there when the group has ended.
struct Creating {
  const ncclComm_t* comm;
  int device;
};
inline std::vector<Creating>& creating() {
  thread_local std::vector<Creating> all;
  return all;
}
inline ncclResult_t created_in_group(ncclResult_t result, const ncclComm_t* comm) {
  if (result == ncclSuccess || result == ncclInProgress) creating().push_back({comm, current_device()});
  return result;
}
// Around the end of that group.
inline ncclResult_t created(ncclResult_t result) {
  std::vector<Creating> all;
  std::swap(all, creating());
  for (const Creating& one : all) {
    OnDevice on(one.device);
    created(result, one.comm);
  }
  return result;
}

// This thread's; all of the device where it has none. Several threads may use a device, each with communicators of its
// own.
inline std::vector<Allocation> allocations_of(int device) {
  std::lock_guard<std::mutex> lock(state().mutex);
  std::vector<Allocation> own, found;
  for (const Allocation& one : state().allocations) {
    if (one.device != device) continue;
    found.push_back(one);
    if (one.thread == std::this_thread::get_id()) own.push_back(one);
  }
  return own.empty() ? found : own;
}

// What a thread sets up at a time: a communicator, or all of those that it drives.
using Channels = std::vector<Channel>;

// A call on a communicator that does not block may still be under way.
inline ncclResult_t finished(ncclResult_t result, ncclComm_t comm) {
  while (result == ncclInProgress)
    if (ncclCommGetAsyncError(comm, &result) != ncclSuccess) return ncclInternalError;
  return result;
}
// Each call waits for all ranks, so those of one thread's ranks are made in a group. It gets a channel and its index.
template <typename Call>
ncclResult_t for_all(Channels& channels, Call call) {
  if (channels.size() == 1) {
    OnDevice on(channels[0].device);
    return finished(call(channels[0], 0), channels[0].comm);
  }
  ncclResult_t result = ncclSuccess;
  ncclGroupStart();
  for (size_t i = 0; i < channels.size(); i++) {
    OnDevice on(channels[i].device);
    if (result == ncclSuccess || result == ncclInProgress) result = call(channels[i], i);
  }
  ncclResult_t ended = ncclGroupEnd();
  if (result == ncclSuccess || result == ncclInProgress) result = ended;
  for (Channel& channel : channels) result = finished(result, channel.comm);
  return result;
}

struct WindowMemory {
  char* base;
  size_t bytes;
};
// One for each channel, or none where it has no bytes.
inline ncclResult_t add_windows(Channels& channels, const std::vector<WindowMemory>& memory) {
  ncclResult_t result = for_all(channels, [&](Channel& channel, size_t i) {
    if (memory[i].bytes == 0) return ncclSuccess;
    if (channel.windows.size() == kWindows) return ncclInvalidUsage;
    return ncclCommWindowRegister(channel.comm, memory[i].base, memory[i].bytes,
                                  &channel.endpoint.windows[channel.windows.size()], NCCL_WIN_COLL_SYMMETRIC);
  });
  for (size_t i = 0; i < channels.size(); i++) {
    std::vector<Registered>& own = channels[i].windows;
    if (memory[i].bytes > 0) own.push_back({memory[i].base, memory[i].bytes, channels[i].endpoint.windows[own.size()]});
  }
  return result;
}
// Memory that is zero on every rank before the first peer can reach it: registration waits for all.
template <typename Bytes>
ncclResult_t add_zeroed(Channels& channels, Bytes bytes_for, OwnWindow Channel::*own = nullptr) {
  std::vector<WindowMemory> all;
  for (Channel& channel : channels) {
    OnDevice on(channel.device);
    size_t bytes = bytes_for(channel);
    void* memory = nullptr;
    ncclResult_t result = ncclMemAlloc(&memory, bytes);
    if (result != ncclSuccess) return result;
    if (cudaMemsetAsync(memory, 0, bytes, channel.set_up) != cudaSuccess ||
        cudaStreamSynchronize(channel.set_up) != cudaSuccess)
      return ncclUnhandledCudaError;
    channel.own_memory.push_back(memory);
    all.push_back({(char*)memory, bytes});
    if (own != nullptr) channel.*own = {(int)channel.windows.size(), (char*)memory, bytes};
  }
  return add_windows(channels, all);
}

// Makes a window larger, if it has to be: a collective call, which all ranks make or none, since they ask for the same.
// The first of the ranks that a thread drives makes it for all of them.
inline ncclResult_t grow(Channel& channel, OwnWindow Channel::*own, size_t bytes) {
  if (bytes <= (channel.*own).bytes) return ncclSuccess;
  Channels all;
  for (ncclComm_t comm : channel.beside) {
    all.push_back(channel_of(comm));
    OnDevice on(all.back().device);
    if (cudaDeviceSynchronize() != cudaSuccess) return ncclUnhandledCudaError;
  }
  ncclResult_t result = add_zeroed(
      all, [bytes](const Channel&) { return window_bytes(bytes); }, own);
  for (const Channel& each : all) channel_of(each.comm) = each;
  return result;
}
// For calls on memory that is no window, and for what their reductions get from peers.
inline ncclResult_t add_staging(Channels& channels, const Options& options) {
  auto half_of = [&](const Channel& channel) { return kStagedBytes * options.slot_count * (size_t)channel.ranks; };
  ncclResult_t result = add_zeroed(
      channels, [&](const Channel& channel) { return 2 * half_of(channel); }, &Channel::staged);
  return result == ncclSuccess ? add_zeroed(channels, half_of, &Channel::staging) : result;
}
// The mailbox, scratch where kernels of the program's own want some, and staging.
inline ncclResult_t add_own_windows(Channels& channels, const Options& options) {
  ncclResult_t result = add_zeroed(
      channels, [&](const Channel& channel) { return sizeof(Slot) * options.slot_count * (size_t)channel.ranks; });
  if (result == ncclSuccess && options.scratch_bytes > 0)
    result = add_zeroed(channels, [&](const Channel&) { return options.scratch_bytes; });
  return result == ncclSuccess && options.has_staging ? add_staging(channels, options) : result;
}

template <typename T>
__global__ void show(const T* from, T* to, size_t count) {
  for (size_t i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
}
// The largest value that any rank has, for each of `values`, by a host collective: this is set-up. A kernel shows them
// to the host, because a copy would be one more among those that carry the program's results.
inline ncclResult_t agree_on_largest(Channels& channels, std::vector<std::vector<uint64_t>>& values) {
  std::vector<uint64_t*> memory(channels.size()), shown(channels.size());
  for (size_t i = 0; i < channels.size(); i++) {
    OnDevice on(channels[i].device);
    size_t bytes = values[i].size() * sizeof(uint64_t);
    if (cudaMalloc(&memory[i], bytes) != cudaSuccess || cudaMallocHost(&shown[i], bytes) != cudaSuccess)
      return ncclUnhandledCudaError;
    std::copy(values[i].begin(), values[i].end(), shown[i]);
    cudaMemcpyAsync(memory[i], shown[i], bytes, cudaMemcpyHostToDevice, channels[i].set_up);
  }
  ncclResult_t result = for_all(channels, [&](Channel& channel, size_t i) {
    return ncclAllReduce(memory[i], memory[i], values[i].size(), ncclUint64, ncclMax, channel.comm, channel.set_up);
  });
  bool done = true;
  for (size_t i = 0; i < channels.size(); i++) {
    OnDevice on(channels[i].device);
    size_t count = values[i].size();
    show<uint64_t><<<1, 32, 0, channels[i].set_up>>>(memory[i], shown[i], count);
    done = done && cudaStreamSynchronize(channels[i].set_up) == cudaSuccess;
    if (done) std::copy_n(shown[i], count, values[i].data());
    done = cudaFree(memory[i]) == cudaSuccess && cudaFreeHost(shown[i]) == cudaSuccess && done;
  }
  return result == ncclSuccess && !done ? ncclUnhandledCudaError : result;
}

// A rank that has no use for a buffer still takes part with memory of the others' size.
inline ncclResult_t window_memory(Channel& channel, const Allocation& one, size_t largest, WindowMemory& found) {
  found = {one.base, largest};
  if (window_bytes(one.bytes) == largest) return ncclSuccess;
  if (one.bytes > 0) {
    std::fprintf(stderr, "rank %d has %zu bytes in a window where another rank has more: all need the same size\n",
                 channel.rank, one.bytes);
    return ncclInvalidArgument;
  }
  OnDevice on(channel.device);
  void* memory = nullptr;
  ncclResult_t result = ncclMemAlloc(&memory, largest);
  if (result != ncclSuccess) return result;
  channel.own_memory.push_back(memory);
  found.base = (char*)memory;
  return ncclSuccess;
}

inline ncclResult_t add_buffers(Channels& channels) {
  std::vector<std::vector<Allocation>> own;
  std::vector<std::vector<uint64_t>> counts, sizes;
  for (const Channel& channel : channels) {
    own.push_back(allocations_of(channel.device));
    counts.push_back({own.back().size(), UINT64_MAX - own.back().size()});
    sizes.emplace_back();
    for (const Allocation& one : own.back()) sizes.back().push_back(window_bytes(one.bytes));
  }
  ncclResult_t result = agree_on_largest(channels, counts);
  for (size_t i = 0; i < channels.size(); i++)
    if (result == ncclSuccess && counts[i][0] != UINT64_MAX - counts[i][1]) {
      std::fprintf(stderr, "rank %d has %zu windows, another rank has another number\n", channels[i].rank,
                   own[i].size());
      return ncclInvalidUsage;
    }
  if (result == ncclSuccess) result = agree_on_largest(channels, sizes);
  size_t most = 0;
  for (const std::vector<Allocation>& all : own) most = std::max(most, all.size());
  for (size_t window = 0; window < most && result == ncclSuccess; window++) {
    std::vector<WindowMemory> memory(channels.size());
    for (size_t i = 0; i < channels.size() && result == ncclSuccess; i++)
      if (window < own[i].size()) result = window_memory(channels[i], own[i][window], sizes[i][window], memory[i]);
    if (result == ncclSuccess) result = add_windows(channels, memory);
  }
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

inline ncclResult_t describe(ncclComm_t comm, const Options& options, Channel& channel) {
  channel.comm = comm;
  channel.endpoint.slots = options.slot_count;
  channel.endpoint.exact = options.exact;
  ncclResult_t result = finished(ncclInProgress, comm);
  if (result == ncclSuccess) result = ncclCommUserRank(comm, &channel.rank);
  if (result == ncclSuccess) result = ncclCommCount(comm, &channel.ranks);
  if (result == ncclSuccess) result = ncclCommCuDevice(comm, &channel.device);
  OnDevice on(channel.device);
  if (result == ncclSuccess && cudaStreamCreateWithFlags(&channel.set_up, cudaStreamNonBlocking) != cudaSuccess)
    return ncclUnhandledCudaError;
  channel.near = ncclTeamLsa(comm);
  for (int kind = 0; kind < 2; kind++) {
    channel.sent[kind].assign(channel.ranks, 0);
    channel.received[kind].assign(channel.ranks, 0);
  }
  return result;
}

// Those of one thread, one for each of its devices.
inline ncclResult_t open(const std::vector<ncclComm_t>& comms, const Options& options, bool network) {
  Channels channels(comms.size());
  ncclResult_t result = ncclSuccess;
  for (size_t i = 0; i < comms.size() && result == ncclSuccess; i++) result = describe(comms[i], options, channels[i]);
  for (Channel& channel : channels) channel.beside = comms;
  if (result == ncclSuccess) result = add_own_windows(channels, options);
  if (result == ncclSuccess && options.has_buffers) result = add_buffers(channels);
  std::vector<ncclDevCommRequirements> needs;
  for (const Channel& channel : channels) needs.push_back(requirements_of(options, network, channel.ranks));
  if (result == ncclSuccess)
    result = for_all(channels, [&](Channel& channel, size_t i) {
      return ncclDevCommCreate(channel.comm, &needs[i], &channel.endpoint.comm);
    });
  std::lock_guard<std::mutex> lock(state().mutex);
  for (const Channel& channel : channels) state().channels[channel.comm] = channel;
  return result;
}

// By all ranks, when nothing is under way.
inline ncclResult_t close(ncclComm_t comm) {
  launch_waiting();
  for (auto closing : hooks().closing) closing(comm);
  Channel channel;
  {
    std::lock_guard<std::mutex> lock(state().mutex);
    auto found = state().channels.find(comm);
    if (found == state().channels.end()) return ncclSuccess;
    channel = found->second;
    state().channels.erase(found);
  }
  OnDevice on(channel.device);
  ncclResult_t result = ncclDevCommDestroy(comm, &channel.endpoint.comm);
  for (const Registered& one : channel.windows)
    if (result == ncclSuccess) result = ncclCommWindowDeregister(comm, one.window);
  for (void* memory : channel.own_memory)
    if (result == ncclSuccess) result = ncclMemFree(memory);
  if (channel.staged_done != nullptr) cudaEventDestroy(channel.staged_done);
  cudaStreamDestroy(channel.set_up);
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
    for (const Registered& window : entry.second.windows)
      if (window.base == pointer) users.push_back(entry.first);
  all.erase(all.begin() + (ptrdiff_t)i);
  return users;
}

// In place of ncclMemFree, cudaFree and cudaFreeAsync. Windows end before their memory does, so the first buffer to go
// closes the communicators that have it.
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
