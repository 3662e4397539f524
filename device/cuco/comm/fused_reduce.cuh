// Kernels that reduce what they write. As with other fused kernels a launch waits for the call. The last block
// of a part lets those know who reduce it: near ranks may load it from here, to others its elements are sent. What has
// come from all ranks is reduced in items, in the order of ranks, by whichever block is done with its own work; blocks
// that find nothing to do leave, and a few that no other waits for stay to the end. All ranks cut alike: the call says
// how at the traced size, and where its launch was not the traced one a kernel of its own does the same; at other sizes
// the launch says it.
#pragma once

#include <cuco/comm/fused_launch.cuh>
#include <cuco/comm/reduce.cuh>

namespace cuco::comm {

// Of blocks and parts, zero between launches of their stream.
struct ReducingCounters {
  uint32_t written[kFusedParts];      // Blocks that have done their own work, by part.
  uint32_t started;                   // Blocks that came to announce,
  uint32_t begun, waiting, finished;  // that have begun, that wait for others, that have left.
  uint32_t taken;                     // Items that somebody reduces,
  uint32_t reduced[kFusedParts];      // and that are reduced, by part.
};

// What a kernel gets to reduce what it writes. Of messages with a near peer, whose sender is who loads, number k is
// part k and the last is where results go; over the network, part k has number k, and its results follow all parts.
struct FusedReduce : FusedGrid {
  Endpoint here;
  Reduction work;         // Of everything.
  uint32_t pitch, piece;  // Elements of a row, and of the piece that a unit owns in it.
  size_t rows, element_bytes;
  size_t staged;      // Elements from one rank's staged ones to those of the next.
  unsigned items;     // That this rank's run of a part is reduced in; 0: it reduces nothing.
  unsigned waiting;   // Blocks that may wait for others.
  bool near_results;  // Some peer's results are stored from here.
  bool is_written;    // By launches before this one.
  ReducingCounters* counters;
};

// For a call that reduces elements of the type.
template <typename Launch>
void launch_reducing(ncclDataType_t type, const Shape& shape, dim3 grid, dim3 block, cudaStream_t stream,
                     std::vector<const void*> pointers, Launch launch) {
  defer_fused<FusedReduce>(shape, grid, block, stream, std::move(pointers), launch, type);
}

// Why the launch is not the one that was traced before this call; none where it is.
inline const char* why_not_reducing(const Deferred<FusedGrid>& launch, const ReduceCall& call) {
  if (launch.stream != call.stream) return "the call that follows is on another stream";
  if (launch.reduced != call.type) return "the call that follows does not reduce elements of its type";
  bool points = std::find(launch.pointers.begin(), launch.pointers.end(), call.input) != launch.pointers.end();
  return points ? nullptr : "none of its pointers leads to what the call reduces";
}

// Part after part where the call is one of the traced size, or of the size that its launch writes, on all ranks alike.
inline bool is_in_parts(const ReduceCall& call) {
  const Parts& parts = call.route.parts;
  size_t message = call.work.root == kEveryoneSlice ? call.output_bytes : call.input_bytes;
  size_t pitch = parts.piece_bytes == 0 ? message : parts.piece_bytes * parts.units;
  bool fits = message == parts.message_bytes && message % pitch == 0 && pitch % (parts.units * call.element_bytes) == 0;
  return fits && call.input_bytes <= UINT32_MAX && call.work.ranks <= kMessages;
}

// As the launch cuts what it writes, whatever its size.
inline void take_parts(ReduceCall& call, const Shape& shape) {
  call.route.parts.units = along(shape.grid, shape.dimension);
  call.route.parts.message_bytes =
      (size_t)shape.message_bytes / (call.work.root == kEveryoneSlice ? call.work.ranks : 1);
}

// Each of a part's messages has a number of its own, whether or not it is sent.
inline void number_parts(Channel& channel, const ReduceCall& call, FusedReduce& all) {
  Reduction& work = all.work;
  bool to_all = work.root == kEveryoneAll;
  for (int step = 1; step < channel.ranks; step++) {
    int peer = (channel.rank + step) % channel.ranks;
    bool far = over_network(channel, call.route.via, peer);
    uint32_t parts = (uint32_t)all.parts, messages = to_all ? (far ? 2 * parts : parts + 1) : parts;
    bool reduces = work.root < 0 || channel.rank == work.root, is_reducer = work.root < 0 || peer == work.root;
    work.peers[work.peer_count++] = {channel.sent[far][peer], channel.received[far][peer], peer};
    if (far ? is_reducer : reduces) channel.sent[far][peer] += messages;
    if (far ? reduces : is_reducer) channel.received[far][peer] += messages;
    all.near_results = all.near_results || (to_all && !far);
  }
}

// Small enough for many blocks to share what is left after the last of them has computed.
constexpr size_t kItemBytes = 8192;
inline unsigned items_of(const ReduceCall& call, const FusedReduce& all) {
  if (call.work.root >= 0 && call.work.rank != call.work.root) return 0;
  size_t share = call.input_bytes / all.parts / (call.work.root >= 0 ? 1 : call.work.ranks);
  return (unsigned)std::min<size_t>(std::max<size_t>(share / kItemBytes, 1), 256);
}

inline unsigned multiprocessors() {
  int count = 1;
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, current_device());
  return (unsigned)count;
}

// Parts without a unit are left out.
inline void drop_empty_parts(FusedGrid& grid) {
  grid.parts = (int)(std::unique(grid.cuts, grid.cuts + grid.parts + 1) - grid.cuts) - 1;
}

inline ncclResult_t reducing_of(const ReduceCall& call, Channel& channel, const FusedGrid& grid, FusedReduce& all) {
  const Parts& parts = call.route.parts;
  all = {grid, channel.endpoint, call.work};
  drop_empty_parts(all);
  size_t pitch = parts.piece_bytes == 0 ? parts.message_bytes : parts.piece_bytes * parts.units;
  all.pitch = (uint32_t)(pitch / call.element_bytes);
  all.piece = all.pitch / parts.units;
  all.rows = call.input_bytes / pitch;
  all.staged = call.work.root == kEveryoneSlice ? call.work.slice : call.work.count;
  all.element_bytes = call.element_bytes;
  all.items = items_of(call, all);
  all.waiting = multiprocessors();
  all.counters = counters_of<ReducingCounters>(call.comm, call.stream);
  size_t staged = call.route.via == Via::Lsa ? 0 : all.staged * call.element_bytes * channel.ranks;
  ncclResult_t result = grow(channel, &Channel::staging, staged);
  all.here = channel.endpoint;
  all.work.staging = place_at(channel.staging.window, 0);
  number_parts(channel, call, all);
  return result;
}

// What the call reduces is written already; the blocks of this kernel only reduce.
inline cudaError_t run_written(const ReduceCall& call, FusedReduce& all) {
  all.is_written = true;
  void* arguments[] = {&all};
  return cudaLaunchKernel((const void*)call.route.written_kernel_for(call.type), call.route.blocks, kThreads, arguments,
                          0, call.stream);
}

inline ncclResult_t submit_reducing(ReduceCall& call) {
  Deferred<FusedGrid> launch = take_fused();
  const char* obstacle = launch.launch ? why_not_reducing(launch, call) : nullptr;
  if (obstacle != nullptr) note_fallback(kCommunicates, obstacle);
  bool is_fused = launch.launch && obstacle == nullptr;
  if (is_fused) take_parts(call, launch.shape);
  if (!is_in_parts(call)) {
    if (is_fused) note_fallback(kCommunicates, "the call reduces another number of elements than its shape says");
    if (launch.launch) launch.launch(nullptr);
    return reduce_at_call(call);
  }
  Channel& channel = channel_of(call.comm);
  FusedGrid grid = grid_of(is_fused ? launch.shape.grid : dim3(call.route.parts.units),
                           is_fused ? launch.shape.dimension : 0, call.route.parts.count);
  FusedReduce all;
  ncclResult_t prepared = reducing_of(call, channel, grid, all);
  if (prepared != ncclSuccess) return prepared;
  if (launch.launch) launch.launch(is_fused ? &all : nullptr);
  cudaError_t result = is_fused ? cudaGetLastError() : run_written(call, all);
  return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

// The elements of a part: pieces of rows, of which every rank that reduces has a run.
struct PartElements {
  size_t first;  // In the message, and so in each row.
  Rows rows;
  size_t count, slice;  // Of all runs, and of one at most.
};
__device__ inline PartElements elements_of(const FusedReduce& all, int part) {
  const uint32_t width = (all.cuts[part + 1] - all.cuts[part]) * all.piece;
  const size_t count = all.rows * width;
  return {(size_t)all.cuts[part] * all.piece,
          {all.rows > 1 ? width : 0, all.pitch},
          count,
          slice_in(all.work.root, count, all.work.ranks)};
}
__device__ inline bool is_reducer(const FusedReduce& all, int rank) {
  return all.work.root < 0 || rank == all.work.root;
}
__device__ inline Part run_of(const FusedReduce& all, const PartElements& part, int rank) {
  return slice_of(all.work.root, part.count, part.slice, rank);
}

// With a near peer: it is told where this rank's elements of a part are when they are written, and tells when it is
// done with them. What one thread does, as everywhere below.
__device__ inline void open_to(const Lsa& path, const FusedReduce& all, const Peer& peer) {
  if (all.near_results) path.announce(message_with(peer, peer.received + all.parts, all.work.output));
}
__device__ inline void offer(const Lsa& path, const FusedReduce& all, const Peer& peer, int part) {
  path.announce(message_with(peer, peer.received + part, all.work.input));
}
// Whether the peer's elements of a part can be had without waiting.
__device__ inline bool has_arrived(const Lsa& path, const FusedReduce&, const Peer& peer, int part) {
  Message one = message_with(peer, peer.sent + part);
  Lsa::Count announced(path.slot_of(path.here.comm.rank, peer.rank, one.sequence)->announced);
  return announced.load(cuda::memory_order_acquire) >> Lsa::kTagShift == Lsa::tag_of(one);
}
// Where the peer's first element would be; waits for its part.
__device__ inline char* elements_from(const Lsa& path, const FusedReduce&, const Peer& peer, int part) {
  return peer_pointer(path.here, path.wait_announced(message_with(peer, peer.sent + part)), peer.rank);
}
// Where the peer's first result goes.
__device__ inline char* results_for(const Lsa& path, const FusedReduce& all, const Peer& peer) {
  return peer_pointer(path.here, path.wait_announced(message_with(peer, peer.sent + all.parts)), peer.rank);
}
// A part that this rank has reduced, with its results where the peer wants them.
__device__ inline void give_back(const Lsa& path, const FusedReduce&, const Peer& peer, int part) {
  path.deliver(peer.rank, peer.sent + part);
}
__device__ inline void close_to(const Lsa& path, const FusedReduce& all, const Peer& peer) {
  if (all.near_results) path.deliver(peer.rank, peer.sent + all.parts);
}
__device__ inline void await_part(const Lsa& path, const FusedReduce& all, const Peer& peer, int part) {
  if (is_reducer(all, peer.rank)) path.wait_delivered(message_with(peer, peer.received + part));
  if (all.near_results && part == 0) path.wait_delivered(message_with(peer, peer.received + all.parts));
}
// Over the network: the elements of a part are put into the staging window of who reduces them, results where they are
// wanted. Staged elements lie as in the message, those of a rank behind those of the one before.
__device__ inline void open_to(const Gin& path, const FusedReduce& all, const Peer& peer) {
  uint64_t staging = all.work.staging + peer.rank * all.staged * all.element_bytes;
  for (int part = 0; part < all.parts; part++) {
    if (is_reducer(all, all.work.rank)) path.announce(message_with(peer, peer.received + part, staging));
    if (all.work.root == kEveryoneAll)
      path.announce(message_with(peer, peer.received + all.parts + part, all.work.output));
  }
}

// Puts the elements of a run and raises the signal of the message behind them. The peer's memory begins `before`
// elements behind the message.
__device__ inline void put_run(const Gin& path, const FusedReduce& all, const PartElements& part, Part run,
                               const Message& message, uint64_t from, size_t before) {
  uint64_t to = path.wait_announced(message);
  const size_t bytes = all.element_bytes;
  __threadfence_system();
  for (size_t i = run.begin, end; i < run.end; i = end) {
    end = part.rows.width == 0 ? run.end : (i / part.rows.width + 1) * part.rows.width;
    if (end > run.end) end = run.end;
    size_t at = part.first + place_in_rows(part.rows, i);
    path.net.put(path.world, message.peer, window_of(all.here, to), offset_of(to) + (at - before) * bytes,
                 window_of(all.here, from), offset_of(from) + at * bytes, (end - i) * bytes);
  }
  path.deliver(message.peer, message.sequence);
}
__device__ inline size_t first_kept_by(const FusedReduce& all, int rank) {
  return all.work.root == kEveryoneSlice ? rank * all.work.slice : 0;
}

__device__ inline void offer(const Gin& path, const FusedReduce& all, const Peer& peer, int part) {
  PartElements elements = elements_of(all, part);
  put_run(path, all, elements, run_of(all, elements, peer.rank), message_with(peer, peer.sent + part), all.work.input,
          first_kept_by(all, peer.rank));
}
__device__ inline bool has_arrived(const Gin& path, const FusedReduce&, const Peer& peer, int part) {
  uint32_t index = peer.received + part;
  return path.net.readSignal(path.signal_of(peer.rank, index, 1)) >= full_count(path.here, index);
}
__device__ inline char* elements_from(const Gin& path, const FusedReduce& all, const Peer& peer, int part) {
  path.wait_delivered(message_with(peer, peer.received + part));
  return local_pointer(all.here, all.work.staging) +
         (peer.rank * all.staged - first_kept_by(all, all.work.rank)) * all.element_bytes;
}
// Results are put together here and sent part by part.
__device__ inline char* results_for(const Gin&, const FusedReduce& all, const Peer&) {
  return local_pointer(all.here, all.work.output);
}
__device__ inline void give_back(const Gin& path, const FusedReduce& all, const Peer& peer, int part) {
  if (all.work.root != kEveryoneAll) return;
  PartElements elements = elements_of(all, part);
  put_run(path, all, elements, run_of(all, elements, all.work.rank), message_with(peer, peer.sent + all.parts + part),
          all.work.output, 0);
}
__device__ inline void close_to(const Gin&, const FusedReduce&, const Peer&) {}
__device__ inline void await_part(const Gin& path, const FusedReduce& all, const Peer& peer, int part) {
  if (all.work.root == kEveryoneAll) path.wait_delivered(message_with(peer, peer.received + all.parts + part));
}
// In front of the kernel's own work: the block to be. Blocks that have begun wait for no room.
__device__ inline uint3 begin_reducing(const FusedReduce& all) {
  if (all.parts == 0) return blockIdx;
  if (thread_in_block() == 0) BlockCount(all.counters->begun).fetch_add(1, cuda::memory_order_relaxed);
  return block_in_turn(all);
}

// By one thread, on the path to each.
template <typename Path, typename Act>
__device__ void for_each_peer(const Path& path, const FusedReduce& all, Act act) {
  for (int i = 0; i < all.work.peer_count; i++) {
    const Peer& peer = all.work.peers[i];
    path.to(peer.rank, [&](const auto& way) { act(way, peer); });
  }
}

// By one thread, before it waits for anything.
template <typename Path>
__device__ void open_first(const Path& path, const FusedReduce& all) {
  if (BlockCount(all.counters->started).fetch_add(1, cuda::memory_order_relaxed) != 0) return;
  for_each_peer(path, all, [&](const auto& way, const Peer& peer) { open_to(way, all, peer); });
}
template <typename Path>
__device__ void offer_part(const Path& path, const FusedReduce& all, int part) {
  for_each_peer(path, all, [&](const auto& way, const Peer& peer) {
    if (is_reducer(all, peer.rank)) offer(way, all, peer, part);
  });
}

__device__ inline bool is_written_here(const FusedReduce& all, int part) {
  return all.is_written ||
         BlockCount(all.counters->written[part]).load(cuda::memory_order_acquire) == blocks_in(all, part);
}
template <typename Path>
__device__ bool is_here(const Path& path, const FusedReduce& all, int part) {
  bool here = is_written_here(all, part);
  for (int i = 0; i < all.work.peer_count && here; i++) {
    const Peer& peer = all.work.peers[i];
    here = path.to(peer.rank, [&](const auto& way) { return has_arrived(way, all, peer, part); });
  }
  return here;
}

// A block that waits may not keep one from running that has not begun; few are enough for what is left then.
__device__ inline bool may_wait(const FusedReduce& all) {
  if (all.is_written) return true;
  if (BlockCount(all.counters->begun).load(cuda::memory_order_relaxed) < grid_blocks()) return false;
  return BlockCount(all.counters->waiting).fetch_add(1, cuda::memory_order_relaxed) < all.waiting;
}

// By one thread: the next item, part after part; one that has not come only for a block that stays.
constexpr unsigned kNoItem = ~0u;
template <typename Path>
__device__ unsigned take_item(const Path& path, const FusedReduce& all, bool& waits) {
  BlockCount taken(all.counters->taken);
  unsigned count = all.items * all.parts, next = taken.load(cuda::memory_order_relaxed);
  while (next < count) {
    if (!waits && !is_here(path, all, (int)(next / all.items))) {
      waits = may_wait(all);
      if (!waits) return kNoItem;
    }
    if (taken.compare_exchange_strong(next, next + 1, cuda::memory_order_relaxed)) return next;
  }
  return kNoItem;
}

// By all threads, after which every place is known; whether 16 bytes can be loaded and stored at a time.
template <typename T, typename Path>
__device__ bool find_summands(const Path& path, const FusedReduce& all, const PartElements& part, int index,
                              char** places) {
  size_t begin = run_of(all, part, all.work.rank).begin;
  uintptr_t bits = (begin | part.rows.width | (part.rows.width == 0 ? 0 : part.rows.pitch)) * sizeof(T);
  auto note = [&](int at, char* place) {
    places[at] = place + part.first * sizeof(T);
    bits |= (uintptr_t)places[at];
  };
  const int results = all.work.ranks;
  for (int i = (int)thread_in_block(); i < all.work.peer_count; i += (int)block_threads()) {
    const Peer& peer = all.work.peers[i];
    note(peer.rank, path.to(peer.rank, [&](const auto& way) { return elements_from(way, all, peer, index); }));
    if (all.near_results)
      note(results + peer.rank, path.to(peer.rank, [&](const auto& way) { return results_for(way, all, peer); }));
  }
  if (thread_in_block() == 0) {
    while (!is_written_here(all, index)) {
    }
    note(all.work.rank, local_pointer(all.here, all.work.input));
    note(results + (all.near_results ? all.work.rank : 0), local_pointer(all.here, all.work.output));
  }
  return __syncthreads_or((bits & 15) != 0) == 0;
}

template <typename T>
__device__ Share share_of_item(const FusedReduce& all, const PartElements& part, unsigned item) {
  Part run = run_of(all, part, all.work.rank);
  const bool own = all.work.root == kEveryoneSlice;
  const size_t back = own ? run.begin : 0, length = run.end - run.begin;
  const size_t step = ((length + all.items - 1) / all.items + 15) / 16 * 16;
  size_t begin = item * step < length ? item * step : length, end = begin + step < length ? begin + step : length;
  begin += run.begin - back, end += run.begin - back;
  return share_of<T>({begin, end}, own ? place_in_rows(part.rows, run.begin) : 0);
}

template <typename Path, typename T, typename Op>
__device__ void reduce_item(const Path& path, const FusedReduce& all, unsigned item) {
  __shared__ char* places[2 * kMessages];
  const int index = (int)(item / all.items);
  const PartElements part = elements_of(all, index);
  bool is_aligned = find_summands<T>(path, all, part, index, places);
  add_up<T, Op>({places, all.work.ranks, all.near_results, is_aligned, part.rows},
                share_of_item<T>(all, part, item % all.items), {thread_in_block(), block_threads()});
  __syncthreads();
  if (thread_in_block() != 0 || !is_last_of(all.counters->reduced[index], all.items)) return;
  for_each_peer(path, all, [&](const auto& way, const Peer& peer) { give_back(way, all, peer, index); });
}

// By the last block of all. What others reduce is here when the kernel ends, and what they loaded may be written again.
template <typename Path>
__device__ void finish_reducing(const Path& path, const FusedReduce& all) {
  if (thread_in_block() == 0)
    for_each_peer(path, all, [&](const auto& way, const Peer& peer) { close_to(way, all, peer); });
  for (int i = (int)thread_in_block(); i < all.work.peer_count * all.parts; i += (int)block_threads()) {
    const Peer& peer = all.work.peers[i / all.parts];
    path.to(peer.rank, [&](const auto& way) { await_part(way, all, peer, i % all.parts); });
  }
  if (thread_in_block() != 0) return;
  path.finish(ncclCoopThread());
  *all.counters = {};
}

template <typename Path, typename T, typename Op>
__device__ void reduce_items(const Path& path, const FusedReduce& all) {
  __shared__ unsigned item;
  __shared__ bool is_last;
  const bool leads = thread_in_block() == 0;
  bool waits = false;
  for (;;) {
    if (leads) item = take_item(path, all, waits);
    __syncthreads();
    if (item == kNoItem) break;
    reduce_item<Path, T, Op>(path, all, item);
  }
  if (leads) is_last = is_last_of(all.counters->finished, grid_blocks());
  __syncthreads();
  if (is_last) finish_reducing(path, all);
}

// Behind the kernel's own work, by all threads of every block. A call, so that the registers of the work stay its own.
template <typename Path, typename T, typename Op>
__device__ __noinline__ void end_reducing(const FusedReduce& all, const uint3& block) {
  if (all.parts == 0) return;
  Path path(all.here);
  __syncthreads();
  if (thread_in_block() == 0) {
    open_first(path, all);
    int part = part_with(all, block);
    if (is_last_of(all.counters->written[part], blocks_in(all, part))) offer_part(path, all, part);
  }
  reduce_items<Path, T, Op>(path, all);
}

// For what launches before have written, by a kernel of its own.
template <typename Path, typename T, typename Op>
__device__ void reduce_written(const FusedReduce& all) {
  Path path(all.here);
  if (blockIdx.x == 0 && thread_in_block() == 0) {
    open_first(path, all);
    for (int part = 0; part < all.parts; part++) offer_part(path, all, part);
  }
  reduce_items<Path, T, Op>(path, all);
}

// The kernel of a call whose input other launches have written.
template <int kSite, typename Path, typename Op, typename T>
__global__ void reduce_written_for(const FusedReduce work) {
  reduce_written<Path, T, Op>(work);
}
struct FusedReduceRoute {
  static ncclResult_t submit(ReduceCall& call) { return submit_reducing(call); }
  template <int kSite, typename Path, typename Op, typename... Types>
  static FusedReduceKernel kernel_for(ncclDataType_t type) {
    FusedReduceKernel kernel = nullptr;
    ((kernel = type == element_type<Types>() ? reduce_written_for<kSite, Path, Op, Types> : kernel), ...);
    return kernel;
  }
};

}  // namespace cuco::comm
