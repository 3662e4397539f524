// Reductions, in place of NCCL's calls.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cuco/comm/fallbacks.cuh>
#include <cuco/comm/site.cuh>

namespace cuco::comm {

// A reduction: each rank reduces a slice, which it gets from all peers, in the order of ranks, so that all get the same
// bits; where all ranks want the result, it sends its slice back. By load and store it reads its peers' memory, over
// the network they send to its staging window.
struct Peer {
  uint32_t sent, received;  // Numbers of the first message in each direction.
  int rank;
};
struct Reduction {
  size_t count = 0, slice = 0;    // Elements in all, and of one slice at most.
  uint32_t width = 0, pitch = 0;  // Where they are pieces of rows, elements of a piece and of a row; else 0.
  uint64_t input = 0, output = 0, staging = 0;
  int rank = 0, ranks = 0, peer_count = 0;
  int root = 0;             // Who wants the result: a rank, or one of the two below.
  int phases = kAllPhases;  // Those of an exchange; kAnnounces is all but the waiting.
  Items<Peer> peers = {};
  ncclRedOp_t op = ncclSum;  // Where the kernel is for any.
};
constexpr int kEveryoneAll = -1;    // All of it.
constexpr int kEveryoneSlice = -2;  // Each its slice; `count` is ranks * slice.

// Of a reduction between two ranks, in one direction.
__host__ __device__ inline uint32_t messages_of(const Reduction& work) { return work.root == kEveryoneAll ? 2 : 1; }

// Elements that a rank which reduces has of `count` at most. Where all get everything they begin at multiples of 16, so
// that copies stay wide.
__host__ __device__ inline size_t slice_in(int root, size_t count, size_t ranks) {
  if (root >= 0) return count;
  return root == kEveryoneSlice ? count / ranks : ((count + ranks - 1) / ranks + 15) / 16 * 16;
}
// Those of a rank.
__host__ __device__ inline Part slice_of(int root, size_t count, size_t slice, int rank) {
  if (root >= 0) return {0, rank == root ? count : 0};
  size_t begin = slice * rank, end = begin + slice;
  return {begin < count ? begin : count, end < count ? end : count};
}

inline uint64_t place_of(const Channel& channel, const void* pointer, size_t bytes) {
  Message found = message_at(channel, pointer, bytes, 0);
  return place_at(found.window, found.offset);
}

// A reduction that is ready to run, and what it touches here.
struct ReduceCall {
  ncclComm_t comm;
  cudaStream_t stream;
  Route route;
  ReduceKernel kernel;
  Reduction work;
  std::vector<Peer> peers;
  const void* input;
  void* output;
  size_t input_bytes, output_bytes, element_bytes;
  ncclDataType_t type;
};

// No more than there are packs of 16 bytes, in whole warps.
inline unsigned threads_for(const ReduceCall& call, unsigned most) {
  size_t packs = (call.work.slice * call.element_bytes + 15) / 16, warps = (packs / call.route.blocks + 31) / 32;
  return (unsigned)std::min<size_t>(most, 32 * std::max<size_t>(warps, 1));
}

inline cudaError_t run(const ReduceCall& call, unsigned threads, cudaStream_t stream) {
  OnDevice on(channel_of(call.comm).device);
  Reduction work = call.work;
  size_t places = 2 * work.ranks * sizeof(char*);
  cudaError_t result = carry_items(call.peers, work.peers, work.peer_count, stream);
  void* arguments[] = {&channel_of(call.comm).endpoint, &work};
  if (result == cudaSuccess)
    result = cudaLaunchKernel((const void*)call.kernel, call.route.blocks, threads, arguments, places, stream);
  return result == cudaSuccess ? drop_items(work.peers, work.peer_count, stream) : result;
}

// The peers of a reduction, with the numbers that its messages get. One that loads from its peers tells them when it is
// done, as the sender of a message does.
inline std::vector<Peer> number_messages(Channel& channel, Via via, const Reduction& work) {
  std::vector<Peer> peers;
  for (int step = 1; step < channel.ranks; step++) {
    int peer = (channel.rank + step) % channel.ranks;
    bool sends = work.root < 0 || peer == work.root, receives = work.root < 0 || channel.rank == work.root;
    if (via == Via::Lsa) std::swap(sends, receives);
    uint32_t& sent = channel.sent[over_network(channel, via, peer)][peer];
    uint32_t& received = channel.received[over_network(channel, via, peer)][peer];
    peers.push_back({sent, received, peer});
    if (sends) sent += messages_of(work);
    if (receives) received += messages_of(work);
  }
  return peers;
}

// The messages of a whole reduction get their numbers; what it needs is there.
inline ncclResult_t prepare_reduction(ReduceCall& call) {
  Channel& channel = channel_of(call.comm);
  size_t staged = call.route.via == Via::Lsa ? 0 : call.work.slice * call.element_bytes * channel.ranks;
  if (ncclResult_t result = grow(channel, &Channel::staging, staged); result != ncclSuccess) return result;
  call.work.staging = place_at(channel.staging.window, 0);
  call.peers = number_messages(channel, call.route.via, call.work);
  return ncclSuccess;
}
inline ncclResult_t reduce_at_call(ReduceCall& call) {
  ncclResult_t result = prepare_reduction(call);
  if (result != ncclSuccess) return result;
  return run(call, threads_for(call, kThreads), call.stream) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

// What a reduction is called with: `count` elements of input; a rank that does not want the result may pass no output.
struct ReduceArguments {
  const void* input;
  void* output;
  size_t count;
  int root;
  ncclDataType_t type;
  ncclRedOp_t op;
  ncclComm_t comm;
  cudaStream_t stream;
};
// What no kernel here computes, such as operations made by ncclRedOpCreatePreMulSum.
inline ncclResult_t reduce_by_nccl(const ReduceArguments& asked) {
  const auto& [input, output, count, root, type, op, comm, stream] = asked;
  say_once("a call is left to NCCL: its operation or its type is none that a kernel was made for");
  if (root == kEveryoneAll) return ncclAllReduce(input, output, count, type, op, comm, stream);
  if (root == kEveryoneSlice)
    return ncclReduceScatter(input, output, count / channel_of(comm).ranks, type, op, comm, stream);
  return ncclReduce(input, output, count, type, op, root, comm, stream);
}
inline ncclResult_t reduce_call(const Route& route, const ReduceArguments& asked) {
  if (asked.count == 0) return ncclSuccess;
  ReduceKernel kernel = route.kernel_for(asked.type, asked.op);
  if (kernel == nullptr && route.submit_reduction == nullptr) return reduce_by_nccl(asked);
  if (is_captured(asked.stream)) return ncclInvalidUsage;
  if (route.stage_reduction != nullptr) return route.stage_reduction(route, asked);
  const auto& [input, output, count, root, type, op, comm, stream] = asked;
  Channel& channel = channel_of(comm);
  size_t element_bytes = bytes_of(type);
  Reduction work;
  work.count = count, work.slice = slice_in(root, count, channel.ranks), work.root = root, work.op = op;
  work.input = place_of(channel, input, element_bytes), work.output = place_of(channel, output, element_bytes);
  work.rank = channel.rank, work.ranks = channel.ranks;
  bool wants = root < 0 || channel.rank == root;
  size_t results = !wants ? 0 : root == kEveryoneSlice ? work.slice : count;
  ReduceCall call = {
      comm,          stream, route, kernel, work, {}, input, output, count * element_bytes, results * element_bytes,
      element_bytes, type};
  if (work.input == 0 || kernel == nullptr) return ncclInvalidArgument;
  return route.submit_reduction == nullptr ? reduce_at_call(call) : route.submit_reduction(call);
}

// The slice that a rank reduces. A lone root reduces everything.
__device__ inline Part slice_of(const Reduction& work, int rank) {
  return slice_of(work.root, work.count, work.slice, rank);
}
__device__ inline Message message_of(uint64_t place, Part elements, size_t element_bytes, int peer, uint32_t index) {
  return {offset_of(place) + elements.begin * element_bytes, (elements.end - elements.begin) * element_bytes, index,
          (int16_t)peer, (int16_t)(place >> 48)};
}

// One of which only the place of its first element is told.
__device__ inline Message message_with(const Peer& peer, uint32_t index, uint64_t place = 0) {
  return message_of(place, {0, 0}, 1, peer.rank, index);
}

// What elements are reduced as: floats of 16 bits in 32, bytes in words.
template <typename T>
using Accumulator =
    std::conditional_t<sizeof(T) == 2, float,
                       std::conditional_t<sizeof(T) != 1, T, std::conditional_t<std::is_signed_v<T>, int, unsigned>>>;

struct Unchanged {
  template <typename A>
  __device__ static A finish(A a, int) {
    return a;
  }
};
struct Sum : Unchanged {
  template <typename A>
  __device__ static A combine(A a, A b) {
    return a + b;
  }
};
struct Average : Sum {
  template <typename A>
  __device__ static A finish(A a, int ranks) {
    return a / (A)ranks;
  }
};
struct Product : Unchanged {
  template <typename A>
  __device__ static A combine(A a, A b) {
    return a * b;
  }
};
struct Max : Unchanged {
  template <typename A>
  __device__ static A combine(A a, A b) {
    return a > b ? a : b;
  }
};
struct Min : Unchanged {
  template <typename A>
  __device__ static A combine(A a, A b) {
    return a < b ? a : b;
  }
};

// Whichever the call is given: one kernel for all, which looks at each element.
struct AnyReduction {
  __device__ static ncclRedOp_t& chosen() {
    __shared__ ncclRedOp_t op;
    return op;
  }
  __device__ static void choose(ncclRedOp_t op) {
    if (threadIdx.x == 0) chosen() = op;
    __syncthreads();
  }
  template <typename A>
  __device__ static A combine(A a, A b) {
    switch (chosen()) {
      case ncclProd:
        return Product::combine(a, b);
      case ncclMax:
        return Max::combine(a, b);
      case ncclMin:
        return Min::combine(a, b);
      default:
        return Sum::combine(a, b);
    }
  }
  template <typename A>
  __device__ static A finish(A a, int ranks) {
    return chosen() == ncclAvg ? Average::finish(a, ranks) : a;
  }
};

// Elements that are moved together, 16 bytes where all sides allow it.
template <typename T, int kWidth>
struct alignas(kWidth * sizeof(T)) Pack {
  T at[kWidth];
};
template <typename Op, typename T, typename A, int kWidth>
__device__ void add_pack(A (&sum)[kWidth], const Pack<T, kWidth>& pack, bool is_first) {
  for (int i = 0; i < kWidth; i++) sum[i] = is_first ? (A)pack.at[i] : Op::combine(sum[i], (A)pack.at[i]);
}
template <typename Op, typename T, typename A, int kWidth>
__device__ Pack<T, kWidth> finished(const A (&sum)[kWidth], int ranks) {
  Pack<T, kWidth> result;
  for (int i = 0; i < kWidth; i++) result.at[i] = (T)Op::finish(sum[i], ranks);
  return result;
}

// As many places in registers where their number is known, else as they are.
template <typename T, int kCount>
struct Places {
  T* at[kCount];
  __device__ Places(char* const* places, size_t first, int) {
    for (int i = 0; i < kCount; i++) at[i] = (T*)places[i] + first;
  }
  __device__ T* operator[](int i) const { return at[i]; }
  __device__ static constexpr int count() { return kCount; }
};
template <typename T>
struct Places<T, 0> {
  char* const* places;
  size_t first;
  int ranks;
  __device__ Places(char* const* of, size_t from, int index) : places(of), first(from), ranks(index) {}
  __device__ T* operator[](int i) const { return (T*)places[i] + first; }
  __device__ int count() const { return ranks; }
};

// Of pieces of rows, in elements; the width is 0 where all elements lie one behind the other.
struct Rows {
  uint32_t width, pitch;
};
// Where an element lies behind the first one.
__device__ inline size_t place_in_rows(const Rows& rows, size_t i) {
  return rows.width == 0 ? i : (uint32_t)i / rows.width * (size_t)rows.pitch + (uint32_t)i % rows.width;
}

// Goes through elements at equal distances without a division for each.
struct RowWalk {
  size_t at, step, gap;
  uint32_t column, column_step, width;

  __device__ RowWalk(const Rows& rows, size_t first, uint32_t distance)
      : at(first), step(distance), gap(0), column(0), column_step(0), width(1) {
    if (rows.width == 0) return;
    at = place_in_rows(rows, first), step = place_in_rows(rows, distance), gap = rows.pitch - rows.width;
    width = rows.width, column = (uint32_t)first % width, column_step = distance % width;
  }
  __device__ void next() {
    at += step, column += column_step;
    if (column < width) return;
    column -= width, at += gap;
  }
};

// What a block adds up.
struct Summands {
  char* const* places;  // Of every rank's elements, then of every rank's result, or of the only one.
  int ranks;
  bool for_all;     // Results go to every rank.
  bool is_aligned;  // All places and rows, to 16 bytes.
  Rows rows;
};

// A block's share of them: whole packs, then what is left.
struct Share {
  Part wide, rest;
  size_t skipped;  // Elements before those of this rank, where it keeps its own: they begin with a row.
};
template <typename T>
__device__ Share share_of(Part elements, size_t skipped) {
  constexpr int kWidth = 16 / sizeof(T);
  size_t wide_end = elements.begin + (elements.end - elements.begin) / kWidth * kWidth;
  return {{elements.begin, wide_end}, {wide_end, elements.end}, skipped};
}

// The threads that work together, and which of them this one is.
struct Crew {
  unsigned index, count;
};

template <typename Op, int kWidth, typename T, int kRanks, int kResults>
__device__ void load_and_reduce(const Summands& summands, const Places<T, kRanks>& from, const Places<T, kResults>& to,
                                Part elements, const Crew& crew) {
  using Wide = Pack<T, kWidth>;
  size_t i = elements.begin + crew.index * kWidth;
  if (i >= elements.end) return;
  for (RowWalk walk(summands.rows, i, crew.count * kWidth); i < elements.end; i += crew.count * kWidth, walk.next()) {
    Accumulator<T> sum[kWidth];
#pragma unroll
    for (int rank = 0; rank < from.count(); rank++) add_pack<Op>(sum, *(const Wide*)(from[rank] + walk.at), rank == 0);
    Wide result = finished<Op, T>(sum, summands.ranks);
#pragma unroll
    for (int rank = 0; rank < to.count(); rank++) *(Wide*)(to[rank] + walk.at) = result;
  }
}

template <typename T, typename Op, int kRanks>
__device__ void reduce_share(const Summands& summands, const Share& share, const Crew& crew) {
  constexpr int kWidth = 16 / sizeof(T);
  const bool is_aligned = summands.is_aligned;
  Places<T, kRanks> from(summands.places, share.skipped, summands.ranks);
  auto to_all = [&](const auto& to) {
    if (is_aligned) load_and_reduce<Op, kWidth>(summands, from, to, share.wide, crew);
    load_and_reduce<Op, 1>(summands, from, to, {is_aligned ? share.rest.begin : share.wide.begin, share.rest.end},
                           crew);
  };
  if (summands.for_all)
    to_all(Places<T, kRanks>(summands.places + summands.ranks, 0, summands.ranks));
  else
    to_all(Places<T, 1>(summands.places + summands.ranks, 0, 1));
}

template <typename T, typename Op>
__device__ void add_up(const Summands& summands, const Share& share, const Crew& crew) {
  if constexpr (std::is_same_v<Op, AnyReduction>) return reduce_share<T, Op, 0>(summands, share, crew);
  switch (summands.ranks) {
    case 2:
      return reduce_share<T, Op, 2>(summands, share, crew);
    case 4:
      return reduce_share<T, Op, 4>(summands, share, crew);
    case 8:
      return reduce_share<T, Op, 8>(summands, share, crew);
    default:
      return reduce_share<T, Op, 0>(summands, share, crew);
  }
}

extern __shared__ char* reduction_places[];  // Of every rank's elements, then of every rank's result.

// Reductions through a staging window: peers put their elements there, and results are sent back.

// This block's share of this rank's slice.
template <typename T, typename Op>
__device__ void reduce_slice(const Endpoint& here, const Reduction& work) {
  Part slice = slice_of(work, work.rank), part = part_of_block((slice.end - slice.begin) * sizeof(T), 16);
  char *own = local_pointer(here, work.input) + slice.begin * sizeof(T), *staged = local_pointer(here, work.staging);
  char* result = local_pointer(here, work.output) + (work.root == kEveryoneSlice ? 0 : slice.begin * sizeof(T));
  const size_t stride = work.slice * sizeof(T);
  for (int rank = threadIdx.x; rank < work.ranks; rank += blockDim.x)
    reduction_places[rank] = rank == work.rank ? own : staged + rank * stride;
  if (threadIdx.x == 0) reduction_places[work.ranks] = result;
  __syncthreads();
  bool is_aligned = (((uintptr_t)own | (uintptr_t)staged | (uintptr_t)result | stride) & 15) == 0;
  add_up<T, Op>({reduction_places, work.ranks, false, is_aligned, {0, 0}},
                share_of<T>({part.begin / sizeof(T), part.end / sizeof(T)}, 0), {threadIdx.x, blockDim.x});
  __syncthreads();
}

template <typename Path, typename T>
__device__ void announce_places(const Path& path, const Reduction& work, Part mine, bool reduces) {
  for (int i = threadIdx.x; i < work.peer_count; i += blockDim.x) {
    const Peer& peer = work.peers[i];
    Part staged = {work.slice * peer.rank, work.slice * peer.rank + (mine.end - mine.begin)};
    if (reduces) path.announce(message_of(work.staging, staged, sizeof(T), peer.rank, peer.received));
    if (work.root == kEveryoneAll)
      path.announce(message_of(work.output, slice_of(work, peer.rank), sizeof(T), peer.rank, peer.received + 1));
  }
}

// Up to where this rank's own part is done.
template <typename Path, typename T, typename Op>
__device__ void begin_reduction(const Path& path, const Endpoint& here, const Reduction& work) {
  Part mine = slice_of(work, work.rank);
  bool reduces = mine.begin < mine.end || work.root < 0;
  if (blockIdx.x == 0) announce_places<Path, T>(path, work, mine, reduces);
  for (int i = 0; i < work.peer_count; i++) {
    const Peer& peer = work.peers[i];
    if (work.root < 0 || peer.rank == work.root)
      path.send(message_of(work.input, slice_of(work, peer.rank), sizeof(T), peer.rank, peer.sent));
  }
  if (reduces) {
    for (int i = threadIdx.x; i < work.peer_count; i += blockDim.x)
      path.wait_delivered(message_of(work.staging, mine, sizeof(T), work.peers[i].rank, work.peers[i].received));
    __syncthreads();
    reduce_slice<T, Op>(here, work);
  }
  for (int i = 0; i < work.peer_count && work.root == kEveryoneAll; i++)
    path.send(message_of(work.output, mine, sizeof(T), work.peers[i].rank, work.peers[i].sent + 1));
}

template <typename Path, typename T, typename Op>
__device__ void reduce_staged(const Endpoint& here, const Reduction& work) {
  Path path(here);
  if (work.phases & kAnnounces) begin_reduction<Path, T, Op>(path, here, work);
  bool awaits = (work.phases & kAwaits) && work.root == kEveryoneAll && blockIdx.x == 0;
  for (int i = threadIdx.x; i < work.peer_count && awaits; i += blockDim.x)
    path.wait_delivered(message_with(work.peers[i], work.peers[i].received + 1));
  if (work.phases & kFlushes) path.finish(ncclCoopCta());
}

// Reductions by load and store. A rank announces where its elements are, and each peer loads those of its slice, adds
// them up, and stores the result where it is wanted; what it delivers says that it is done with this rank's memory.
// The running block's share of what this rank reduces.
template <typename T>
__device__ Share share_of_block(const Reduction& work, Part slice) {
  bool own = work.root == kEveryoneSlice;
  size_t first = own ? 0 : slice.begin;
  Part part = part_of_block((slice.end - slice.begin) * sizeof(T), 16);
  return share_of<T>({first + part.begin / sizeof(T), first + part.end / sizeof(T)},
                     own ? place_in_rows({work.width, work.pitch}, slice.begin) : 0);
}

// Whether it is so for any thread of the block, all of which have done what comes before. A block of one warp, as small
// parts have, needs no barrier for that.
__device__ inline bool is_any(bool is_so) {
  if (blockDim.x > 32) return __syncthreads_or(is_so) != 0;
  bool found = __any_sync(~0u, is_so) != 0;
  __syncwarp();
  return found;
}

// By all threads, after which every place and the block's share are known; whether all of them can be loaded and stored
// 16 bytes at a time.
template <typename T>
__device__ bool find_places(const Lsa& path, const Reduction& work, Part slice, Share& share) {
  uintptr_t bits = (slice.begin | work.width | work.pitch) * sizeof(T);
  auto note = [&](int at, char* place) {
    reduction_places[at] = place;
    bits |= (uintptr_t)place;
  };
  bool for_all = work.root == kEveryoneAll;
  for (int i = threadIdx.x; i < work.peer_count; i += blockDim.x) {
    const Peer& peer = work.peers[i];
    auto announced = [&](uint32_t index) {
      return peer_pointer(path.here, path.wait_announced(message_with(peer, index)), peer.rank);
    };
    note(peer.rank, announced(peer.sent));
    if (for_all) note(work.ranks + peer.rank, announced(peer.sent + 1));
  }
  if (threadIdx.x == 0) {
    share = share_of_block<T>(work, slice);
    note(work.rank, local_pointer(path.here, work.input));
    note(work.ranks + (for_all ? work.rank : 0), local_pointer(path.here, work.output));
  }
  return !is_any((bits & 15) != 0);
}

template <typename T, typename Op>
__device__ void load_from_all(const Lsa& path, const Reduction& work) {
  __shared__ Share share;
  bool is_aligned = find_places<T>(path, work, slice_of(work, work.rank), share);
  Summands summands = {reduction_places, work.ranks, work.root == kEveryoneAll, is_aligned, {work.width, work.pitch}};
  add_up<T, Op>(summands, share, {threadIdx.x, blockDim.x});
  is_any(false);
  for (int i = threadIdx.x; i < work.peer_count; i += blockDim.x)
    for (uint32_t index = 0; index < messages_of(work); index++)
      path.deliver(work.peers[i].rank, work.peers[i].sent + index, shares_of_block());
}

template <typename T, typename Op>
__device__ void reduce_by_loads(const Endpoint& here, const Reduction& work) {
  Lsa path(here);
  bool announces = work.phases & kAnnounces;
  int told_count = blockIdx.x == 0 ? work.peer_count : 0;
  auto each_told = [&](auto act) {
    for (int i = threadIdx.x; i < told_count; i += blockDim.x)
      if (work.root < 0 || work.peers[i].rank == work.root) act(work.peers[i]);
  };
  if (announces)
    each_told([&](const Peer& peer) {
      path.announce(message_with(peer, peer.received, work.input));
      if (work.root == kEveryoneAll) path.announce(message_with(peer, peer.received + 1, work.output));
    });
  if (announces && (work.root < 0 || work.rank == work.root)) load_from_all<T, Op>(path, work);
  if (work.phases & kAwaits)
    each_told([&](const Peer& peer) {
      for (uint32_t index = 0; index < messages_of(work); index++)
        path.wait_delivered(message_with(peer, peer.received + index));
    });
}

template <typename T>
constexpr ncclDataType_t element_type() {
  if (std::is_same_v<T, __half>) return ncclFloat16;
  if (std::is_same_v<T, __nv_bfloat16>) return ncclBfloat16;
  if (std::is_floating_point_v<T>) return sizeof(T) == 4 ? ncclFloat32 : ncclFloat64;
  if (sizeof(T) == 1) return std::is_signed_v<T> ? ncclInt8 : ncclUint8;
  if (sizeof(T) == 4) return std::is_signed_v<T> ? ncclInt32 : ncclUint32;
  return std::is_signed_v<T> ? ncclInt64 : ncclUint64;
}

template <int kSite, typename Path, typename Op, typename T>
__global__ void reduce_for(const Endpoint here, const Reduction work) {
  if constexpr (std::is_same_v<Op, AnyReduction>) Op::choose(work.op);
  if constexpr (Path::kVia == Via::Lsa)
    reduce_by_loads<T, Op>(here, work);
  else
    reduce_staged<Path, T, Op>(here, work);
}
// One call in a template can have several types; nothing for another than those of the site.
struct ReduceRoute {
  template <int kSite, typename Path, typename Op, typename... Types>
  static ReduceKernel kernel_of(ncclDataType_t type) {
    ReduceKernel kernel = nullptr;
    ((kernel = type == element_type<Types>() ? reduce_for<kSite, Path, Op, Types> : kernel), ...);
    return kernel;
  }
  // Of any type, where the site names none.
  template <int kSite, typename Path, typename Op, typename... Types>
  static ReduceKernel kernel_by(ncclDataType_t type) {
    if constexpr (sizeof...(Types) > 0)
      return kernel_of<kSite, Path, Op, Types...>(type);
    else
      return kernel_of<kSite, Path, Op, int8_t, uint8_t, int32_t, uint32_t, int64_t, uint64_t, __half, __nv_bfloat16,
                       float, double>(type);
  }
  template <int kSite, typename Path, typename Op, typename... Types>
  static ReduceKernel kernel_for(ncclDataType_t type, ncclRedOp_t op) {
    bool is_known = !std::is_same_v<Op, AnyReduction> || op == ncclSum || op == ncclProd || op == ncclMin ||
                    op == ncclMax || op == ncclAvg;
    return is_known ? kernel_by<kSite, Path, Op, Types...>(type) : nullptr;
  }
};

template <typename Call>
ncclResult_t all_reduce(const Call& site, const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                        ncclComm_t comm, cudaStream_t stream) {
  return reduce_call(site.route(), {from, to, count, kEveryoneAll, type, op, comm, stream});
}

template <typename Call>
ncclResult_t reduce_scatter(const Call& site, const void* from, void* to, size_t count, ncclDataType_t type,
                            ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return reduce_call(site.route(), {from, to, count * channel_of(comm).ranks, kEveryoneSlice, type, op, comm, stream});
}

template <typename Call>
ncclResult_t reduce(const Call& site, const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                    int root, ncclComm_t comm, cudaStream_t stream) {
  return reduce_call(site.route(), {from, to, count, root, type, op, comm, stream});
}

}  // namespace cuco::comm
