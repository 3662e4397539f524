// Kernels that send what they write.
#pragma once

#include <cuco/comm/collectives.cuh>
#include <cuco/comm/fused_launch.cuh>

namespace cuco::comm {

// Of blocks and parts, zero between launches of their stream.
struct FusedCounters {
  uint32_t written[kFusedParts];     // Blocks that have done their own work,
  uint32_t stored[kFusedParts];      // and have stored it into the windows of near peers, by part.
  uint32_t started, waiting, ended;  // Blocks that have begun, that wait for what is to be sent on, that have left.
  uint32_t left;                     // Parts that are on their way to all peers.
  uint32_t posting;                  // Whether some block posts a part to other nodes.
  uint32_t passed_on;                // Shares of relays that somebody sends on,
  uint32_t relayed[kFusedRelays * kFusedParts];  // and those that have been, by part.
  uint32_t dealt;                                // Tiles that somebody computes.
};

// What a kernel gets to do an exchange. Part k of a message has the message's number + k.
struct FusedSend : FusedGrid {
  Endpoint here;
  int send_count, receive_count, relay_count;
  Message sends[kMessages], receives[kMessages];
  Relay relays[kFusedRelays];
  unsigned relay_shares;  // Of each part that is sent on: as many as blocks may be there to do it.
  Copy own;               // Of this rank's own bytes, stored as for a near peer; no bytes: it is left to others.
  size_t piece_bytes;
  Tiles tiles;
  FusedCounters* counters;
};

template <typename Launch>
void launch_fused(const Shape& shape, dim3 grid, dim3 block, cudaStream_t stream, std::vector<const void*> pointers,
                  Launch launch) {
  defer_fused<FusedSend>(shape, grid, block, stream, std::move(pointers), launch);
}

// Why the deferred launch does not write what the call sends; none where it does, as it did where it was traced.
inline const char* why_not_fused(const Deferred<FusedGrid>& launch, const Pending& call, const Channel& channel) {
  const Piece& work = call.work;
  if (launch.stream != call.stream) return "the call that follows is on another stream";
  if (launch.reduced != ncclNumTypes) return "the call that follows moves bytes, and the kernel reduces";
  if (work.sends.empty()) return "the call that follows sends nothing from this rank";
  if (work.sends.size() > kMessages || work.receives.size() > kMessages || call.relays.size() > kFusedRelays)
    return "the call that follows has too many messages";
  const char* first = channel.windows[work.sends[0].window].base + work.sends[0].offset;
  for (const Message& send : work.sends) {
    if ((int64_t)send.bytes != launch.shape.message_bytes)
      return "the call sends messages of other sizes than its shape";
    first = std::min<const char*>(first, channel.windows[send.window].base + send.offset);
  }
  for (const auto& own : call.to_self) first = std::min(first, (const char*)own.first);
  bool points = std::find(launch.pointers.begin(), launch.pointers.end(), first) != launch.pointers.end();
  return points ? nullptr : "none of its pointers leads to where the messages of the call begin";
}

inline FusedSend fusing_of(const Deferred<FusedGrid>& launch, const Pending& call, const Channel& channel) {
  FusedSend fused = {grid_of(launch.shape.grid, launch.shape.dimension, call.route.parts.count)};
  fused.here = channel.endpoint;
  for (const Message& send : call.work.sends) fused.sends[fused.send_count++] = send;
  for (const Message& one : call.work.receives) fused.receives[fused.receive_count++] = one;
  for (const Relay& relay : call.relays) fused.relays[fused.relay_count++] = relay;
  const dim3& grid = launch.shape.grid;
  fused.relay_shares = std::min(kRelayBlocks, grid.x * grid.y * grid.z);
  // What has no near peers stores nothing.
  if (call.route.via != Via::Gin && call.work.copies.size() == 1 &&
      (int64_t)call.work.copies[0].bytes == launch.shape.message_bytes)
    fused.own = call.work.copies[0];
  fused.piece_bytes = launch.shape.piece_bytes;
  fused.tiles = launch.shape.tiles;
  fused.counters = counters_of<FusedCounters>(call.comm, call.stream);
  return fused;
}

// All of a message in its last part.
inline void add_in_last_part(std::vector<Message>& all, const Message& message, int parts) {
  for (int part = 0; part < parts; part++) {
    all.push_back(message);
    all.back().sequence += part;
    if (part + 1 < parts) all.back().bytes = 0;
  }
}
inline Piece all_in_last_part(const Pending& call) {
  Piece piece = {kAllPhases, {}, {}, call.work.copies};
  for (const Message& send : call.work.sends) add_in_last_part(piece.sends, send, call.route.parts.count);
  for (const Message& one : call.work.receives) add_in_last_part(piece.receives, one, call.route.parts.count);
  return piece;
}

// What comes through this rank is sent on between the exchange with other nodes and that inside of this one.
inline cudaError_t run_unfused(const Pending& call, Channel& channel) {
  Piece all = all_in_last_part(call);
  if (call.relays.empty()) return run(call, all, channel, call.stream);
  Piece out = all, first = {kAwaits, {}, {}, {}}, rest = {kAwaits | kFlushes, {}, {}, {}};
  out.phases = kAnnounces;
  for (const Relay& relay : call.relays) add_in_last_part(rest.sends, relay.send, call.route.parts.count);
  for (const Message& one : all.receives)
    (over_network(channel, call.route.via, one.peer) ? first : rest).receives.push_back(one);
  cudaError_t result = run(call, out, channel, call.stream);
  if (result == cudaSuccess) result = run(first, call.route.kernel, 1, threads_of(Issue::Warp), channel, call.stream);
  return result == cudaSuccess ? run(call, rest, channel, call.stream) : result;
}

__device__ inline Runs runs_of(const FusedSend& fused, int part, size_t bytes) {
  size_t first = fused.cuts[part], units = fused.cuts[part + 1] - first;
  if (fused.piece_bytes == 0) return {first * (bytes / fused.units), units * (bytes / fused.units), 0, 1};
  size_t row = fused.units * fused.piece_bytes;
  return {first * fused.piece_bytes, units * fused.piece_bytes, row, bytes / row};
}
__device__ inline Runs tile_of(const Tiles& tiles, const uint3& block) {
  int64_t begin = block.x * tiles.steps[0] + block.y * tiles.steps[1] + block.z * tiles.steps[2];
  return {(size_t)begin, (size_t)tiles.bytes, (size_t)tiles.stride, (size_t)tiles.count};
}

__device__ inline Message part_of(Message message, int part) {
  message.sequence += part;
  return message;
}

// Where the bytes of messages go that near peers get by stores.
struct Targets {
  int count;
  char* to[kMessages + 1];
  const char* from[kMessages + 1];
};
// By all threads of a block, which have seen the targets.
__device__ inline void store(const Targets& targets, const Runs& runs) {
  for (int i = 0; i < targets.count; i++) copy_runs(targets.to[i], targets.from[i], runs);
  __syncthreads();
}

// The share of one of `count` blocks: rows, or, where they are too few, a piece of each of them.
__device__ inline Runs share_of(Runs runs, unsigned place, unsigned count) {
  constexpr size_t kGrain = 64;  // Bytes; a multiple of what a thread moves at once.
  if (runs.count >= count) {
    size_t first = runs.count * place / count, end = runs.count * (place + 1) / count;
    return {runs.begin + first * runs.stride, runs.bytes, runs.stride, end - first};
  }
  size_t grains = (runs.bytes + kGrain - 1) / kGrain, first = grains * place / count * kGrain;
  size_t end = grains * (place + 1) / count * kGrain;
  return {runs.begin + first, (end < runs.bytes ? end : runs.bytes) - first, runs.stride, runs.count};
}

// What one thread of a block does for a message to a near peer: finds out where it goes, and tells when a part is
// there.
__device__ inline void add_target(const Lsa& path, const Message& message, int part, Targets& targets) {
  uint64_t place = path.wait_announced(part_of(message, part));
  targets.to[targets.count] = peer_pointer(path.here, place, message.peer);
  targets.from[targets.count++] = local_pointer(path.here, place_at(message.window, message.offset));
}
__device__ inline void add_target(const Gin&, const Message&, int, Targets&) {}
__device__ inline void send_part(const Lsa& path, const FusedSend&, const Message& message, int part) {
  path.deliver(message.peer, message.sequence + part);
}
// Runs are puts of their own, and the signal after them covers all. By one thread, which has seen what the blocks
// wrote; the NIC has to see it too.
__device__ inline void send_part(const Gin& path, const FusedSend& fused, const Message& message, int part) {
  Message one = part_of(message, part);
  uint64_t place = path.wait_announced(one);
  Runs runs = runs_of(fused, part, message.bytes);
  __threadfence_system();
  for (size_t run = 0; run < runs.count && runs.bytes > 0; run++) {
    size_t begin = runs.begin + run * runs.stride;
    path.net.put(path.world, message.peer, window_of(fused.here, place), offset_of(place) + begin,
                 fused.here.windows[message.window], message.offset + begin, runs.bytes);
  }
  path.deliver(message.peer, one.sequence);
}

// By one thread: the next share of a part to be sent on, part after part. Without `waits` only of one that is here.
constexpr int kNoRelay = -1;
__device__ inline int take_relay(const Hybrid& path, const FusedSend& fused, bool waits) {
  BlockCount taken(fused.counters->passed_on);
  unsigned count = fused.relay_count * fused.parts * fused.relay_shares, next = taken.load(cuda::memory_order_relaxed);
  while (next < count) {
    const unsigned relay = next / fused.relay_shares;
    const Message& source = fused.receives[fused.relays[relay % fused.relay_count].receive];
    Message one = part_of(source, relay / fused.relay_count);
    auto signal = path.far.signal_of(one.peer, one.sequence, 1);
    if (!waits && path.far.net.readSignal(signal) < full_count(fused.here, one.sequence)) return kNoRelay;
    if (!taken.compare_exchange_strong(next, next + 1, cuda::memory_order_relaxed)) continue;
    if (waits) path.wait_delivered(one);
    return (int)next;
  }
  return kNoRelay;
}

// By all threads of a block: a share of a part that came over the network, to another rank of this node. The last of
// them lets it know.
__device__ inline void send_on(const Hybrid& path, const FusedSend& fused, int item) {
  __shared__ Targets targets;
  const unsigned relay = item / fused.relay_shares, share = item % fused.relay_shares;
  const Message& send = fused.relays[relay % fused.relay_count].send;
  const int part = relay / fused.relay_count;
  if (thread_in_block() == 0) {
    targets.count = 0;
    add_target(path.near, send, part, targets);
  }
  __syncthreads();
  store(targets, share_of(runs_of(fused, part, send.bytes), share, fused.relay_shares));
  if (thread_in_block() == 0 && is_last_of(fused.counters->relayed[relay], fused.relay_shares))
    send_part(path.near, fused, send, part);
}
// Only who has near peers and others passes on what comes from the latter.
template <typename Path>
__device__ void pass_on(const Path& path, const FusedSend& fused, bool waits) {
  if constexpr (Path::kNear && Path::kFar) {
    __shared__ int relay;
    while (fused.relay_count > 0) {
      if (thread_in_block() == 0) relay = take_relay(path, fused, waits);
      __syncthreads();
      if (relay == kNoRelay) return;
      send_on(path, fused, relay);
    }
  }
}

// By one thread of a block, before anything else: the first block to begin tells the peers where their messages go.
// Which one that is depends on nothing, so no block can wait for one that finds no room.
template <typename Path>
__device__ void announce_first(const Path& path, const FusedSend& fused) {
  if (BlockCount(fused.counters->started).fetch_add(1, cuda::memory_order_relaxed) != 0) return;
  for (int part = 0; part < fused.parts; part++)
    for (int i = 0; i < fused.receive_count; i++) path.announce(part_of(fused.receives[i], part));
}

// By one thread: a part to the peers that are near, which have its bytes, or to those that are not.
template <typename Path>
__device__ void send_to(bool near, const Path& path, const FusedSend& fused, int part) {
  for (int i = 0; i < fused.send_count; i++) {
    const Message& send = fused.sends[i];
    if (path.is_near(send.peer) == near)
      path.to(send.peer, [&](const auto& way) { send_part(way, fused, send, part); });
  }
}
// By one thread: a part to the peers that are not near, all of it before another block posts its own. Parts that are
// done together would else arrive together, and none could be sent on meanwhile.
template <typename Path>
__device__ void post_part(const Path& path, const FusedSend& fused, int part) {
  BlockCount posting(fused.counters->posting);
  while (posting.exchange(1, cuda::memory_order_acquire) != 0) {
  }
  send_to(false, path, fused, part);
  posting.store(0, cuda::memory_order_release);
}
template <typename Path>
__device__ void find_targets(const Path& path, const FusedSend& fused, int part, Targets& targets) {
  targets.count = 0;
  for (int i = 0; i < fused.send_count; i++)
    path.to(fused.sends[i].peer, [&](const auto& way) { add_target(way, fused.sends[i], part, targets); });
  if (fused.own.bytes == 0) return;
  targets.to[targets.count] = fused.own.to;
  targets.from[targets.count++] = fused.own.from;
}

// By all threads of one of so many blocks: its share of what peers send.
template <typename Path>
__device__ void await_share(const Path& path, const FusedSend& fused, unsigned place, unsigned sharers) {
  const unsigned count = fused.receive_count * fused.parts, step = sharers * block_threads();
  for (unsigned i = place * block_threads() + thread_in_block(); i < count; i += step)
    path.wait_delivered(part_of(fused.receives[i / fused.parts], i % fused.parts));
}

// By the block that completed the last part. What peers sent is here when the kernel ends, and what this rank sent may
// be written again. Where no block stays to send on, nobody else looks at the counters in this launch.
template <typename Path>
__device__ void finish_fused(const Path& path, const FusedSend& fused) {
  // Parts without a unit have nothing to send but their signal.
  for (int empty = 0; empty < fused.parts && thread_in_block() == 0; empty++)
    if (fused.cuts[empty] == fused.cuts[empty + 1])
      send_to(true, path, fused, empty), send_to(false, path, fused, empty);
  pass_on(path, fused, true);
  await_share(path, fused, 0, 1);
  if (thread_in_block() != 0) return;
  path.finish(ncclCoopThread());
  if (fused.relay_count == 0) *fused.counters = {};
}

// By all threads of the last block of a part. While it is at it, it sends on what has come.
template <typename Path>
__device__ void complete_part(const FusedSend& fused, int part, Targets& targets) {
  __shared__ bool is_last;
  const bool leads = thread_in_block() == 0;
  Path path(fused.here);
  if (Path::kNear && fused.tiles.count == 0) {
    if (leads) find_targets(path, fused, part, targets);
    __syncthreads();
    store(targets, runs_of(fused, part, fused.sends[0].bytes));
  }
  if (Path::kNear && leads) send_to(true, path, fused, part);
  pass_on(path, fused, false);
  if (leads) is_last = is_last_of(fused.counters->left, fused.parts_with_units);
  __syncthreads();
  if (is_last) finish_fused(path, fused);
}

// By all threads of every block, at its end. Once all blocks have begun, waiting keeps none from running: some stay to
// send on what is still to come, each a share of it. The last to leave clears the counters.
template <typename Path>
__device__ void wait_for_relays(const FusedSend& fused) {
  __shared__ bool waits;
  const bool leads = thread_in_block() == 0;
  __syncthreads();
  if (leads)
    waits = BlockCount(fused.counters->started).load(cuda::memory_order_relaxed) == grid_blocks() &&
            BlockCount(fused.counters->waiting).fetch_add(1, cuda::memory_order_relaxed) < kRelayBlocks;
  __syncthreads();
  if (waits) pass_on(Path(fused.here), fused, true);
  __syncthreads();
  if (leads && is_last_of(fused.counters->ended, grid_blocks())) *fused.counters = {};
}

// In front of the kernel's own work, by all threads of every block: the block to be. With an exchange of no parts the
// kernel runs as written.
template <typename Path>
__device__ uint3 begin_fused(const FusedSend& fused) {
  if (fused.parts == 0) return blockIdx;
  if (thread_in_block() == 0) announce_first(Path(fused.here), fused);
  return block_in_turn(fused);
}

// Behind the kernel's own work, by all threads of every block. What goes over the network leaves before blocks store
// for near peers: it is longer on its way.
template <typename Path>
__device__ void end_fused(const FusedSend& fused, const uint3& block) {
  if (fused.parts == 0) return;
  __shared__ int part;
  __shared__ bool completes;
  __shared__ Targets targets;
  const bool leads = thread_in_block() == 0, stores = Path::kNear && fused.tiles.count > 0;
  __syncthreads();
  if (leads) {
    Path path(fused.here);
    part = part_with(fused, block);
    completes = Path::kFar && is_last_of(fused.counters->written[part], blocks_in(fused, part));
    if (completes) post_part(path, fused, part);
    if (stores) find_targets(path, fused, part, targets);
  }
  __syncthreads();
  if (stores) store(targets, tile_of(fused.tiles, block));
  if (Path::kNear && leads) completes = is_last_of(fused.counters->stored[part], blocks_in(fused, part));
  __syncthreads();
  if (completes) complete_part<Path>(fused, part, targets);
  if (fused.relay_count > 0) wait_for_relays<Path>(fused);
}

struct FusedRoute {
  static ncclResult_t submit(Pending& call) {
    Channel& channel = channel_of(call.comm);
    Deferred<FusedGrid> launch = take_fused();
    cudaError_t result = cudaSuccess;
    const char* obstacle = launch.launch ? why_not_fused(launch, call, channel) : nullptr;
    if (obstacle != nullptr && !call.work.sends.empty()) note_fallback(kCommunicates, obstacle);
    if (launch.launch && obstacle == nullptr) {
      FusedSend fused = fusing_of(launch, call, channel);
      launch.launch(&fused);
      result = cudaGetLastError();
      if (result == cudaSuccess && fused.own.bytes == 0) result = copy_on(call.stream, call.work.copies);
    } else {
      if (launch.launch) launch.launch(nullptr);
      result = run_unfused(call, channel);
    }
    return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
  }
};

}  // namespace cuco::comm
