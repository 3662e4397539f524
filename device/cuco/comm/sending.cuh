// Kernels that send what they write, message by message. A launch that writes what the next call sends waits
// for that call, which tells it the messages: every block counts itself done for the parts of messages that it
// writes, and the last block of a part sends it, or lets a near peer know that all blocks have stored theirs. Sender
// and receiver know the bytes of a message and cut it alike, so ranks may differ in who sends: what no such launch
// writes, and everything where a launch was not like the traced ones, is sent by the kernel of the call.
#pragma once

#include <cuco/comm/blocks.cuh>
#include <cuco/comm/overlap.cuh>
#include <cuco/comm/producer.cuh>

namespace cuco::comm {

constexpr int kTilesMax = 4;
constexpr size_t kDeferredMax = 8, kFedMax = 512;  // Launches that wait for a call, and parts that one of them sends.

// What blocks write from a place on. They may write less, and nothing else of what is sent.
struct SentTiles : Tiles {
  const char* begin = nullptr;
  ptrdiff_t filled = 0;

  __host__ __device__ const char* of(unsigned x, unsigned y, unsigned z) const {
    return begin + x * steps[0] + y * steps[1] + z * steps[2];
  }
  __host__ __device__ ptrdiff_t length() const { return (count - 1) * stride + bytes; }
};

struct FedPart {
  Message message;
  const char* begin;
  uint32_t blocks;  // That write it.
  int16_t tiles;
  bool stored;  // By each block its own.
};

// Zero between launches of their stream.
struct SendCounters {
  uint32_t started, finished;  // Blocks that have begun and ended.
  uint32_t done[kFedMax];      // Blocks that have written their share of a part, or stored it.
};

// What a kernel gets to send what it writes.
struct FusedMessages {
  Endpoint here;
  int phases;  // What it does for messages that come: announces them, awaits them.
  int fed_count, receive_count;
  Items<FedPart> fed;
  Items<Message> receives;
  SentTiles tiles[kTilesMax];
  SendCounters* counters;
};

using Sender = Deferred<FusedMessages>;

inline SentTiles tiles_of(const Shape::Touched& one) {
  SentTiles tiles;
  static_cast<Tiles&>(tiles) = one.tiles;
  tiles.begin = one.pointer, tiles.filled = one.filled;
  return tiles;
}
// Whether all tiles that are to fill what they write do.
inline const char* why_not_filled(const Shape& shape) {
  for (const Shape::Touched& one : shape.touched)
    if (one.filled != 0 && (one.tiles.stride <= 0 || filled_by(one.tiles, shape.grid) != one.filled))
      return "its tiles do not fill the bytes that its shape says";
  return nullptr;
}

template <typename Launch>
void launch_sending(const std::vector<Shape>& shapes, dim3 grid, dim3 block, cudaStream_t stream, Launch launch) {
  defer<FusedMessages>({given<FusedMessages, FusedMessages>(launch), stream}, shapes, grid, block, kDeferredMax,
                       why_not_filled);
}

template <typename T>
const char* offset_by(T* pointer, ptrdiff_t offset) {
  return (const char*)pointer + offset;
}

// What comes with sends of kernels is left to those who read it. All of it is on the stream of the call: the place of a
// message is announced by a launch behind all that touched it, and who reads it starts behind the launches that sent.
inline void join_targets(Pending& call) {
  Outgoing out = {call, channel_of(call.comm), call.stream, call.stream};
  make_room();
  out.prepare_for(together(out.targets(), uses_of(out, call.work)), out.receipts());
}
inline void leave_receives(Pending& call) {
  Outgoing out = {call, channel_of(call.comm), call.stream, call.stream};
  for (const Message& message : call.work.receives) add_transfer(out.awaited(message));
}

// How many of the `count` runs of `length` bytes, `step` apart from `at` on, meet [begin, end).
inline ptrdiff_t runs_that_meet(const char* at, ptrdiff_t step, ptrdiff_t count, ptrdiff_t length, const char* begin,
                                const char* end) {
  if (step < 0) return runs_that_meet(at + (count - 1) * step, -step, count, length, begin, end);
  if (step == 0) return at < end && begin < at + length ? count : 0;
  auto floor_of = [](ptrdiff_t a, ptrdiff_t b) { return a / b - (a % b < 0); };
  ptrdiff_t first = std::max<ptrdiff_t>(floor_of(begin - at - length, step) + 1, 0);
  ptrdiff_t last = std::min(floor_of(end - at - 1, step), count - 1);
  return std::max<ptrdiff_t>(last - first + 1, 0);
}
inline uint32_t blocks_that_write(const Sender& sender, const SentTiles& tiles, const char* begin, const char* end) {
  const dim3& grid = sender.shape.grid;
  ptrdiff_t blocks = 0;
  for (unsigned z = 0; z < grid.z; z++)
    for (unsigned y = 0; y < grid.y; y++)
      blocks += runs_that_meet(tiles.of(0, y, z), tiles.steps[0], grid.x, tiles.length(), begin, end);
  return (uint32_t)blocks;
}

// By the last of the launches that write any of it.
struct Feeder {
  size_t sender;
  FedPart part;
};
inline bool find_feeder(const std::vector<Sender>& deferred, const Pending& call, const Channel& channel,
                        const Message& send, Feeder& found) {
  const char* begin = channel.windows[send.window].base + send.offset;
  for (size_t i = deferred.size(); i-- > 0;)
    for (size_t tiles = 0; tiles < deferred[i].shape.touched.size() && deferred[i].stream == call.stream; tiles++) {
      const SentTiles of = tiles_of(deferred[i].shape.touched[tiles]);
      uint32_t blocks = blocks_that_write(deferred[i], of, begin, begin + send.bytes);
      if (blocks == 0) continue;
      bool own = begin >= of.begin && begin + send.bytes <= of.begin + of.filled;
      bool near = !over_network(channel, call.route.via, send.peer);
      found = {i, {send, begin, blocks, (int16_t)tiles, own && near}};
      return true;
    }
  return false;
}

// What each of the deferred launches sends; `rest` is what nobody does.
inline std::vector<std::vector<FedPart>> fed_parts(const std::vector<Sender>& deferred, const Pending& call,
                                                   const Channel& channel, std::vector<Message>& rest) {
  std::vector<std::vector<FedPart>> all(deferred.size());
  for (const Message& send : call.work.sends) {
    Feeder feeder;
    if (send.bytes > 0 && find_feeder(deferred, call, channel, send, feeder) && all[feeder.sender].size() < kFedMax)
      all[feeder.sender].push_back(feeder.part);
    else
      rest.push_back(send);
  }
  return all;
}

inline cudaError_t launch_sender(const Sender& sender, const std::vector<FedPart>& parts, const Pending& call,
                                 int phases) {
  FusedMessages sending = {
      channel_of(call.comm).endpoint, phases, 0, 0, {}, {}, {}, counters_of<SendCounters>(call.comm, call.stream)};
  std::transform(sender.shape.touched.begin(), sender.shape.touched.end(), sending.tiles, tiles_of);
  std::vector<Message> receives;
  if (phases != 0) receives = call.work.receives;
  cudaError_t result = carry_items(parts, sending.fed, sending.fed_count, call.stream);
  if (result == cudaSuccess) result = carry_items(receives, sending.receives, sending.receive_count, call.stream);
  if (result != cudaSuccess) return result;
  sender.launch(&sending);
  result = cudaGetLastError();
  if (result == cudaSuccess) result = drop_items(sending.fed, sending.fed_count, call.stream);
  return result == cudaSuccess ? drop_items(sending.receives, sending.receive_count, call.stream) : result;
}

// The first launch that sends announces what is received, which peers that send wait for; the last one awaits it.
inline cudaError_t launch_senders(const std::vector<Sender>& deferred, const std::vector<std::vector<FedPart>>& fed,
                                  const Pending& call, bool awaits) {
  auto sends = [](const std::vector<FedPart>& parts) { return !parts.empty(); };
  size_t first = (size_t)(std::find_if(fed.begin(), fed.end(), sends) - fed.begin());
  size_t last = (size_t)(fed.rend() - std::find_if(fed.rbegin(), fed.rend(), sends)) - 1;
  cudaError_t result = cudaSuccess;
  for (size_t i = 0; i < deferred.size() && result == cudaSuccess; i++) {
    int phases = (i == first ? kAnnounces : 0) | (i == last && awaits ? kAwaits : 0);
    if (fed[i].empty())
      deferred[i].launch(nullptr);
    else
      result = launch_sender(deferred[i], fed[i], call, phases);
  }
  return result;
}

// Who waits for what comes: the stream of the call, or who reads it.
template <bool kReadersAwait>
ncclResult_t submit_sends(Pending& call) {
  Channel& channel = channel_of(call.comm);
  std::vector<Sender> deferred = take_deferred<FusedMessages>();
  std::vector<Message> unfed;
  std::vector<std::vector<FedPart>> fed = fed_parts(deferred, call, channel, unfed);
  bool any = unfed.size() < call.work.sends.size();
  if constexpr (kReadersAwait) join_targets(call);
  cudaError_t result = launch_senders(deferred, fed, call, unfed.empty() && !kReadersAwait);
  if (result == cudaSuccess && any) result = copy_on(call.stream, call.work.copies);
  Piece rest = {kFlushes, unfed, call.work.receives, {}};
  if (!any) rest = call.work;
  rest.phases = (any ? kFlushes : kFlushes | kAnnounces) | (kReadersAwait ? 0 : kAwaits);
  if (result == cudaSuccess && (!any || !unfed.empty())) result = run(call, rest, channel, call.stream);
  if constexpr (kReadersAwait) leave_receives(call);
  return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

struct SendingRoute {
  static ncclResult_t submit(Pending& call) { return submit_sends<false>(call); }
  static ncclResult_t submit_to_readers(Pending& call) { return submit_sends<true>(call); }
};

// By all threads of a block: what it writes of a part, which a peer gets at `to`. Pieces at its ends may be cut.
__device__ inline void copy_within(char* to, const FedPart& part, const SentTiles& tiles, const uint3& block) {
  const ptrdiff_t first = tiles.of(block.x, block.y, block.z) - part.begin, bytes = (ptrdiff_t)part.message.bytes;
  auto copy_piece = [&](ptrdiff_t piece) {
    const ptrdiff_t at = first + piece * tiles.stride, begin = at > 0 ? at : 0;
    const ptrdiff_t end = at + tiles.bytes < bytes ? at + tiles.bytes : bytes;
    if (begin < end) copy_runs(to, part.begin, {(size_t)begin, (size_t)(end - begin), (size_t)(end - begin), 1});
  };
  ptrdiff_t begin = first < 0 ? (tiles.stride - 1 - first) / tiles.stride : 0;
  ptrdiff_t end = bytes - tiles.bytes < first ? 0 : (bytes - tiles.bytes - first) / tiles.stride + 1;
  if (end > tiles.count) end = tiles.count;
  if (begin > 0 && begin <= tiles.count) copy_piece(begin - 1);
  if (begin < end)
    copy_runs(
        to, part.begin,
        {(size_t)(first + begin * tiles.stride), (size_t)tiles.bytes, (size_t)tiles.stride, (size_t)(end - begin)});
  if (end >= begin && end < tiles.count) copy_piece(end);
}

// What blocks do for a part of a message to a near peer: all its threads store, one tells that everything is there.
__device__ inline char* target_of(const Lsa& path, const FedPart& part) {
  __shared__ char* to;
  if (thread_in_block() == 0) to = peer_pointer(path.here, path.wait_announced(part.message), part.message.peer);
  __syncthreads();
  return to;
}
__device__ inline void store_own(const Lsa& path, const FedPart& part, const SentTiles& tiles, const uint3& block) {
  copy_within(target_of(path, part), part, tiles, block);
  __syncthreads();
}
__device__ inline void send_fed(const Lsa& path, const FedPart& part) {
  if (!part.stored) copy_runs(target_of(path, part), part.begin, {0, part.message.bytes, part.message.bytes, 1});
  __syncthreads();
  if (thread_in_block() == 0) path.deliver(part.message.peer, part.message.sequence);
}

// Parts to other nodes are puts, whose signal is the count. By one thread, which has seen what the blocks wrote; the
// NIC has to see it too.
__device__ inline void store_own(const Gin&, const FedPart&, const SentTiles&, const uint3&) {}
__device__ inline void send_fed(const Gin& path, const FedPart& part) {
  if (thread_in_block() != 0) return;
  const Message& message = part.message;
  uint64_t place = path.wait_announced(message);
  __threadfence_system();
  path.net.put(path.world, message.peer, window_of(path.here, place), offset_of(place),
               path.here.windows[message.window], message.offset, message.bytes,
               SignalAdd{path.signal_of(path.here.comm.rank, message.sequence, 1), (uint64_t)kShares});
}
// In front of the kernel's own work, by all threads of a block: the first block to begin tells the peers where their
// messages go. With nothing to send the kernel runs as written. Which one that is depends on nothing, so no block can
// wait for one that finds no room.
template <typename Path>
__device__ void begin_sending(const FusedMessages& sending) {
  if ((sending.phases & kAnnounces) == 0) return;
  __shared__ bool is_first;
  if (thread_in_block() == 0)
    is_first = BlockCount(sending.counters->started).fetch_add(1, cuda::memory_order_relaxed) == 0;
  __syncthreads();
  Path path(sending.here);
  for (int i = (int)thread_in_block(); is_first && i < sending.receive_count; i += (int)block_threads())
    path.announce(sending.receives[i]);
}

__device__ inline bool writes(const SentTiles& tiles, const uint3& block, const FedPart& part) {
  const char* begin = tiles.of(block.x, block.y, block.z);
  return begin < part.begin + part.message.bytes && part.begin < begin + tiles.length();
}

// By the block that ends last. What this rank sent may be written again, and nobody else looks at the counters in this
// launch.
template <typename Path>
__device__ void finish_sending(const Path& path, const FusedMessages& sending) {
  const int thread = (int)thread_in_block(), threads = (int)block_threads();
  for (int i = thread; (sending.phases & kAwaits) && i < sending.receive_count; i += threads)
    path.wait_delivered(sending.receives[i]);
  for (int i = thread; i < sending.fed_count; i += threads) sending.counters->done[i] = 0;
  if (thread != 0) return;
  path.finish(ncclCoopThread());
  sending.counters->started = sending.counters->finished = 0;
}

// Behind the kernel's own work, by all threads of every block.
template <typename Path>
__device__ void end_sending(const FusedMessages& sending, const uint3& block) {
  if (sending.counters == nullptr) return;
  __shared__ bool is_last;
  Path path(sending.here);
  __syncthreads();
  for (int i = 0; i < sending.fed_count; i++) {
    const FedPart& part = sending.fed[i];
    const SentTiles& tiles = sending.tiles[part.tiles];
    if (!writes(tiles, block, part)) continue;
    if (part.stored) path.to(part.message.peer, [&](const auto& way) { store_own(way, part, tiles, block); });
    if (thread_in_block() == 0) is_last = is_last_of(sending.counters->done[i], part.blocks);
    __syncthreads();
    if (is_last) path.to(part.message.peer, [&](const auto& way) { send_fed(way, part); });
    __syncthreads();
  }
  if (thread_in_block() == 0) is_last = is_last_of(sending.counters->finished, grid_blocks());
  __syncthreads();
  if (is_last) finish_sending(path, sending);
}

}  // namespace cuco::comm
