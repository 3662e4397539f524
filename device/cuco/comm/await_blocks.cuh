// Kernels that wait for what comes themselves, block by block. The stream of such a launch does not wait for messages
// that are under way to bytes which the launch touches: the launch gets a list of them, and each block waits for those
// that meet its own bytes. Blocks that need none of them go first, the others in the order in which messages come.
//
// A block that waits keeps its place on the GPU, so nothing that it waits for may need one behind it. Messages come
// from other GPUs, which wait for what this one announced and sent before it. So the stream waits until all kernels up
// to the one that announced the messages have started. Calls of the program are on one stream, and what is called later
// than these messages cannot be needed for them.
#pragma once

#include <cuco/comm/blocks.cuh>
#include <cuco/comm/fallbacks.cuh>
#include <cuco/comm/overlap.cuh>
#include <cuco/comm/shape.cuh>

namespace cuco::comm {

constexpr int kAwaitedMax = 48, kRunsMax = 48, kBlockUsesMax = 8;

struct Awaited {
  const char *begin, *end;
  uint32_t sequence;
  int peer;
};

// A use behind a pointer that is known.
struct PlacedUse {
  const char* begin;
  ptrdiff_t stride, bytes;
  int dimension, blocks;
  bool writes;
};

// Blocks with one index along a dimension, from `first` on.
struct Run {
  unsigned first, count;
};

// What a kernel gets to wait by.
struct BlockWaits {
  int count = 0, use_count = 0, run_count = 0;  // Without runs blocks keep their order.
  int dimension = 0;                            // Of the runs.
  Endpoint here = {};
  Awaited messages[kAwaitedMax] = {};
  PlacedUse uses[kBlockUsesMax] = {};
  Run runs[kRunsMax] = {};
};

// Whether blocks with this index along the use's dimension touch bytes of the message.
__host__ __device__ inline bool meet(const PlacedUse& use, unsigned index, const Awaited& message) {
  if (use.bytes == 0) return message.end > use.begin;
  const char* begin = use.begin + (ptrdiff_t)(index / use.blocks) * use.stride;
  return begin < message.end && message.begin < begin + use.bytes;
}

// By one thread, which needs next to no room on the GPU.
static __global__ void await_begun(uint64_t* begun, uint64_t count) {
  while (cuda::atomic_ref<uint64_t, cuda::thread_scope_device>(*begun).load(cuda::memory_order_relaxed) < count) {
  }
}
inline void pass_begun(cudaStream_t stream, uint64_t count) {
  uint64_t& passed = overlap().passed_begun[stream];
  if (passed >= count) return;
  await_begun<<<1, 1, 0, stream>>>(hooks().begun, count);
  passed = count;
}

// One block along a dimension has no rule that was traced, and numbers that do not come out even are less than 0.
inline bool is_rule(const Span& use, const dim3& grid) {
  return use.bytes == 0 || (use.bytes > 0 && use.stride > 0 && use.blocks > 0 && along(grid, use.dimension) > 1);
}
inline bool is_known(const Shape& shape, const dim3& grid, const dim3& block) {
  bool like = shape.fits(grid, block);
  for (const Shape::Touched& one : shape.touched) like = like && is_rule(one.span, grid);
  return like;
}
inline const Shape* shape_of(const std::vector<Shape>& shapes, const dim3& grid, const dim3& block) {
  for (const Shape& shape : shapes)
    if (is_known(shape, grid, block)) return &shape;
  return nullptr;
}

// Ranks send to the next one first, so that what comes first is from the one before.
inline bool comes_before(const Transfer* a, const Transfer* b) {
  const Channel& channel = channel_of(a->comm);
  auto distance = [&](const Transfer* one) {
    return (channel.rank - one->awaited[0].peer + channel.ranks) % channel.ranks;
  };
  return std::make_pair(distance(a), a->awaited[0].sequence) < std::make_pair(distance(b), b->awaited[0].sequence);
}

// The last message that blocks with the index wait for, from 1; 0: none.
inline int last_message(const BlockWaits& waits, unsigned index) {
  int last = 0;
  for (int use = 0; use < waits.use_count; use++)
    for (int i = 0; i < waits.count && waits.uses[use].dimension == waits.dimension; i++)
      if (i >= last && meet(waits.uses[use], index, waits.messages[i])) last = i + 1;
  return last;
}

// The blocks along the use's dimension that meet the message, of so many: from the first on to before the last.
struct Meeting {
  ptrdiff_t first, end;
};
inline Meeting meeting_of(const PlacedUse& use, const Awaited& message, ptrdiff_t extent) {
  if (use.bytes == 0) return {0, message.end > use.begin ? extent : 0};
  auto floor_of = [](ptrdiff_t a, ptrdiff_t b) { return a / b - (a % b < 0); };
  ptrdiff_t first = floor_of(message.begin - use.begin - use.bytes, use.stride) + 1;
  ptrdiff_t last = floor_of(message.end - use.begin - 1, use.stride);
  return {std::max<ptrdiff_t>(first * use.blocks, 0), std::min((last + 1) * use.blocks, extent)};
}

inline bool is_met(const BlockWaits& waits, const Awaited& message, const dim3& grid) {
  for (int i = 0; i < waits.use_count; i++) {
    Meeting blocks = meeting_of(waits.uses[i], message, along(grid, waits.uses[i].dimension));
    if (blocks.first < blocks.end) return true;
  }
  return false;
}

// Where blocks along the dimension begin or end to meet a message.
inline std::vector<ptrdiff_t> cuts_of(const BlockWaits& waits, ptrdiff_t extent) {
  std::vector<ptrdiff_t> cuts = {0, extent};
  for (int i = 0; i < waits.use_count; i++)
    for (int k = 0; k < waits.count && waits.uses[i].dimension == waits.dimension; k++) {
      Meeting blocks = meeting_of(waits.uses[i], waits.messages[k], extent);
      for (ptrdiff_t cut : {blocks.first, blocks.end})
        if (cut > 0 && cut < extent) cuts.push_back(cut);
    }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

// Left as it is where there are too many runs, and where they are in order.
inline void order_blocks(BlockWaits& waits, const dim3& grid) {
  waits.dimension = -1;
  for (int i = waits.use_count; i-- > 0;)
    if (waits.uses[i].bytes > 0) waits.dimension = waits.uses[i].dimension;
  if (waits.dimension < 0) return;
  std::vector<ptrdiff_t> cuts = cuts_of(waits, along(grid, waits.dimension));
  std::map<int, std::vector<Run>> runs;
  for (size_t i = 0; i + 1 < cuts.size(); i++)
    runs[last_message(waits, (unsigned)cuts[i])].push_back({(unsigned)cuts[i], (unsigned)(cuts[i + 1] - cuts[i])});
  if (cuts.size() - 1 > kRunsMax || runs.size() < 2) return;
  for (const auto& of_message : runs)
    for (const Run& run : of_message.second) waits.runs[waits.run_count++] = run;
}

inline void place_uses(BlockWaits& waits, const Shape& shape) {
  for (const Shape::Touched& one : shape.touched) {
    const Span& span = one.span;
    waits.uses[waits.use_count++] = {one.pointer + span.offset, span.stride, span.bytes, span.dimension,
                                     (int)span.blocks,          one.writes};
  }
}

inline bool is_message(const Transfer& transfer) {
  return transfer.awaited.size() == 1 && transfer.uses.size() == 1 && transfer.uses[0].writes;
}
inline Awaited awaited_by(const Transfer& transfer) {
  return {transfer.uses[0].begin, transfer.uses[0].end, transfer.awaited[0].sequence, transfer.awaited[0].peer};
}

// What all blocks touch, as far as it was traced.
inline std::vector<Use> with_traced(std::vector<Use> uses, const BlockWaits& waits, const dim3& grid) {
  for (int i = 0; i < waits.use_count; i++) {
    const PlacedUse& use = waits.uses[i];
    ptrdiff_t groups = (along(grid, use.dimension) + use.blocks - 1) / use.blocks;
    const char* end = use.begin + (groups - 1) * use.stride + use.bytes;
    uses.push_back(use.bytes == 0 ? use_from(use.begin, use.writes) : Use{use.begin, end, use.writes});
  }
  return uses;
}

// Messages that blocks wait for. For all else that touches the same bytes the stream waits.
inline std::vector<Transfer*> take_messages(cudaStream_t stream, const std::vector<Use>& uses, const BlockWaits& waits,
                                            const dim3& grid) {
  std::vector<Transfer*> taken;
  TransferWait transfer_wait(stream);
  for (Transfer& transfer : overlap().transfers) {
    if (std::find(transfer.joined.begin(), transfer.joined.end(), stream) != transfer.joined.end()) continue;
    bool one = is_message(transfer);
    if (one ? !is_met(waits, awaited_by(transfer), grid) : !conflict(transfer.uses, uses)) continue;
    bool fits = taken.size() < kAwaitedMax && (taken.empty() || taken[0]->comm == transfer.comm);
    if (one && fits && transfer.home == stream)
      taken.push_back(&transfer);
    else
      transfer_wait.add(transfer);
  }
  transfer_wait.launch();
  std::sort(taken.begin(), taken.end(), comes_before);
  return taken;
}

// In place of before(): what the launch's blocks have to wait for. A launch that is not like the traced ones waits on
// its stream.
inline BlockWaits before_blocks(cudaStream_t stream, const std::vector<Use>& uses, const dim3& grid, const dim3& block,
                                const std::vector<Shape>& shapes) {
  BlockWaits waits;
  const Shape* shape = shape_of(shapes, grid, block);
  if (!note_launch(kWaitsInBlocks, shape != nullptr)) {
    before(stream, uses);
    return waits;
  }
  place_uses(waits, *shape);
  uint64_t begun = 0;
  for (Transfer* transfer : take_messages(stream, with_traced(uses, waits, grid), waits, grid)) {
    waits.here = channel_of(transfer->comm).endpoint;
    waits.messages[waits.count++] = awaited_by(*transfer);
    transfer->in_blocks = true;
    begun = std::max(begun, transfer->begun);
  }
  if (has_side_streams()) wait_for_works(stream, uses);
  order_blocks(waits, grid);
  pass_begun(stream, begun);
  return waits;
}

// In place of after(). Some block has waited for each of the messages, so that whoever comes behind the launch need
// not.
inline void after_blocks(cudaStream_t stream, const std::vector<Use>& uses, const dim3& grid, const BlockWaits& waits) {
  after(stream, with_traced(uses, waits, grid));
  for (Transfer& transfer : overlap().transfers) {
    if (!transfer.in_blocks) continue;
    end_on(stream, transfer);
    transfer.joined.push_back(stream);
    transfer.in_blocks = false;
  }
}

// The running block's place in the order of all, as the block that it stands for.
__device__ inline uint3 block_by_arrival(const BlockWaits& waits) {
  if (waits.run_count == 0) return blockIdx;
  const dim3 grid = gridDim;
  unsigned others = grid_blocks() / along(grid, waits.dimension);
  unsigned index = linear_block() / others, run = 0;
  while (index >= waits.runs[run].count) index -= waits.runs[run++].count;
  return block_at(grid, waits.dimension, index + waits.runs[run].first, linear_block() % others);
}
__device__ inline bool touches(const BlockWaits& waits, const uint3& block, const Awaited& message) {
  for (int i = 0; i < waits.use_count; i++)
    if (meet(waits.uses[i], along(block, waits.uses[i].dimension), message)) return true;
  return false;
}

// In front of the kernel's own work, by all threads of a block: the block to be, when what it touches has come.
template <typename Path>
__device__ uint3 wait_for_inputs(const BlockWaits& waits) {
  if (waits.count == 0) return blockIdx;
  __shared__ uint3 block;
  const unsigned thread = thread_in_block();
  if (thread == 0) block = block_by_arrival(waits);
  __syncthreads();
  Path path(waits.here);
  for (unsigned i = thread; i < (unsigned)waits.count; i += block_threads()) {
    const Awaited& message = waits.messages[i];
    if (touches(waits, block, message)) path.wait_delivered({0, 0, message.sequence, (int16_t)message.peer, 0});
  }
  __syncthreads();
  return block;
}

}  // namespace cuco::comm
