
// Kernels that wait for what comes themselves, block by block. The stream of such a launch does not wait for messages
// that are under way to bytes which the launch touches: the launch gets a list of them, and each block waits for those
// that meet its own bytes. Blocks that need none of them go first, the others in the order in which messages come.
//
// A block that waits keeps its place on the GPU, so nothing that it waits for may need one behind it. Messages come from
// other GPUs, which wait for what this one announced and sent before it. So the stream waits until all kernels up to
// the one that announced the messages have started. Calls of the program are on one stream, and what is called later
// than these messages cannot be needed for them.
constexpr int kAwaitedMax = 48, kRunsMax = 48, kBlockUsesMax = 8;

// What a block touches behind a pointer: `bytes` bytes from offset + index / blocks * stride on, where index is the
// block's along the dimension.
struct BlockUse {
  int pointer;  // Of the launch's list.
  int dimension = 0;
  ptrdiff_t blocks = 1;  // So many in a row touch the same.
  ptrdiff_t offset = 0, stride = 0;
  ptrdiff_t bytes = 0;  // 0: whatever lies behind the pointer.
  bool writes = false;
};

// A launch as it was traced.
struct BlockShape {
  bool like;         // The numbers of this one are those of the traced.
  dim3 grid, block;  // An extent of 0 is as well any other.
  std::vector<BlockUse> uses;
};

// A message under way.
struct Awaited {
  const char *begin, *end;
  uint32_t number;
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
struct Awaiting {
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
__host__ __device__ inline unsigned extent_of(const dim3& of, int dimension) {
  return dimension == 0 ? of.x : dimension == 1 ? of.y : of.z;
}

// By one thread, which needs next to no room on the GPU.
static __global__ void await_begun(uint64_t* begun, uint64_t count) {
  while (cuda::atomic_ref<uint64_t, cuda::thread_scope_device>(*begun).load(cuda::memory_order_relaxed) < count) {
  }
}
inline void pass_begun(cudaStream_t stream, uint64_t count) {
  uint64_t& passed = lanes().passed_begun[stream];
  if (passed >= count) return;
  await_begun<<<1, 1, 0, stream>>>(lanes().begun, count);
  passed = count;
}

// One block along a dimension has no rule that was traced, and numbers that do not come out even are less than 0.
inline bool is_rule(const BlockUse& use, const dim3& grid) {
  return use.bytes == 0 || (use.bytes > 0 && use.stride > 0 && use.blocks > 0 && extent_of(grid, use.dimension) > 1);
}
inline bool is_like(const BlockShape& shape, const dim3& grid, const dim3& block) {
  bool like = shape.like && has_shape(grid, shape.grid) && has_shape(block, shape.block);
  for (const BlockUse& use : shape.uses) like = like && is_rule(use, grid);
  return like;
}
inline const BlockShape* shape_of(const std::vector<BlockShape>& shapes, const dim3& grid, const dim3& block) {
  for (const BlockShape& shape : shapes)
    if (is_like(shape, grid, block)) return &shape;
  return nullptr;
}

// Ranks send to the next one first, so that what comes first is from the one before.
inline bool comes_before(const Flight* a, const Flight* b) {
  const Channel& channel = channel_of(a->comm);
  auto distance = [&](const Flight* one) {
    return (channel.rank - one->awaited[0].peer + channel.ranks) % channel.ranks;
  };
  return std::make_pair(distance(a), a->awaited[0].number) < std::make_pair(distance(b), b->awaited[0].number);
}

// The last message that blocks with the index wait for, from 1; 0: none.
inline int last_message(const Awaiting& awaiting, unsigned index) {
  int last = 0;
  for (int use = 0; use < awaiting.use_count; use++)
    for (int i = 0; i < awaiting.count && awaiting.uses[use].dimension == awaiting.dimension; i++)
      if (i >= last && meet(awaiting.uses[use], index, awaiting.messages[i])) last = i + 1;
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

// Whether some block touches bytes of the message.
inline bool is_met(const Awaiting& awaiting, const Awaited& message, const dim3& grid) {
  for (int i = 0; i < awaiting.use_count; i++) {
    Meeting blocks = meeting_of(awaiting.uses[i], message, extent_of(grid, awaiting.uses[i].dimension));
    if (blocks.first < blocks.end) return true;
  }
  return false;
}

// Where blocks along the dimension begin or end to meet a message.
inline std::vector<ptrdiff_t> cuts_of(const Awaiting& awaiting, ptrdiff_t extent) {
  std::vector<ptrdiff_t> cuts = {0, extent};
  for (int i = 0; i < awaiting.use_count; i++)
    for (int k = 0; k < awaiting.count && awaiting.uses[i].dimension == awaiting.dimension; k++) {
      Meeting blocks = meeting_of(awaiting.uses[i], awaiting.messages[k], extent);
      for (ptrdiff_t cut : {blocks.first, blocks.end})
        if (cut > 0 && cut < extent) cuts.push_back(cut);
    }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

// Left as it is where there are too many runs, and where they are in order.
inline void order_blocks(Awaiting& awaiting, const dim3& grid) {
  awaiting.dimension = -1;
  for (int i = awaiting.use_count; i-- > 0;)
    if (awaiting.uses[i].bytes > 0) awaiting.dimension = awaiting.uses[i].dimension;
  if (awaiting.dimension < 0) return;
  std::vector<ptrdiff_t> cuts = cuts_of(awaiting, extent_of(grid, awaiting.dimension));
  std::map<int, std::vector<Run>> runs;
  for (size_t i = 0; i + 1 < cuts.size(); i++)
    runs[last_message(awaiting, (unsigned)cuts[i])].push_back({(unsigned)cuts[i], (unsigned)(cuts[i + 1] - cuts[i])});
  if (cuts.size() - 1 > kRunsMax || runs.size() < 2) return;
  for (const auto& of_message : runs)
    for (const Run& run : of_message.second) awaiting.runs[awaiting.run_count++] = run;
}

inline void place_uses(Awaiting& awaiting, const BlockShape& shape, const std::vector<const void*>& pointers) {
  for (const BlockUse& use : shape.uses)
    awaiting.uses[awaiting.use_count++] = {(const char*)pointers[use.pointer] + use.offset, use.stride, use.bytes,
                                           use.dimension, (int)use.blocks, use.writes};
}

inline bool is_message(const Flight& flight) {
  return flight.awaited.size() == 1 && flight.uses.size() == 1 && flight.uses[0].writes;
}
inline Awaited awaited_by(const Flight& flight) {
  return {flight.uses[0].begin, flight.uses[0].end, flight.awaited[0].number, flight.awaited[0].peer};
}

// What all blocks touch, as far as it was traced.
inline std::vector<Use> with_traced(std::vector<Use> uses, const Awaiting& awaiting, const dim3& grid) {
  for (int i = 0; i < awaiting.use_count; i++) {
    const PlacedUse& use = awaiting.uses[i];
    ptrdiff_t groups = (extent_of(grid, use.dimension) + use.blocks - 1) / use.blocks;
    const char* end = use.begin + (groups - 1) * use.stride + use.bytes;
    uses.push_back(use.bytes == 0 ? use_from(use.begin, use.writes) : Use{use.begin, end, use.writes});
  }
  return uses;
}

// Messages that blocks wait for. For all else that touches the same bytes the stream waits.
inline std::vector<Flight*> take_messages(cudaStream_t stream, const std::vector<Use>& uses, const Awaiting& awaiting,
                                          const dim3& grid) {
  std::vector<Flight*> taken;
  Arrival arrival(stream);
  for (Flight& flight : lanes().flights) {
    if (std::find(flight.joined.begin(), flight.joined.end(), stream) != flight.joined.end()) continue;
    bool one = is_message(flight);
    if (one ? !is_met(awaiting, awaited_by(flight), grid) : !conflict(flight.uses, uses)) continue;
    bool fits = taken.size() < kAwaitedMax && (taken.empty() || taken[0]->comm == flight.comm);
    if (one && fits && flight.home == stream)
      taken.push_back(&flight);
    else
      arrival.add(flight);
  }
  arrival.launch();
  std::sort(taken.begin(), taken.end(), comes_before);
  return taken;
}

// In place of before(): what the launch's blocks have to wait for. A launch that is not like the traced ones waits on its
// stream.
inline Awaiting before_blocks(cudaStream_t stream, const std::vector<Use>& uses, const dim3& grid, const dim3& block,
                              const std::vector<BlockShape>& shapes, const std::vector<const void*>& pointers) {
  Awaiting awaiting;
  const BlockShape* shape = shape_of(shapes, grid, block);
  if (shape == nullptr) {
    before(stream, uses);
    return awaiting;
  }
  place_uses(awaiting, *shape, pointers);
  uint64_t begun = 0;
  for (Flight* flight : take_messages(stream, with_traced(uses, awaiting, grid), awaiting, grid)) {
    awaiting.here = channel_of(flight->comm).endpoint;
    awaiting.messages[awaiting.count++] = awaited_by(*flight);
    flight->in_blocks = true;
    begun = std::max(begun, flight->begun);
  }
  CUCO_AFTER_WORKS;
  order_blocks(awaiting, grid);
  pass_begun(stream, begun);
  return awaiting;
}

// In place of after(). Some block has waited for each of the messages, so that whoever comes behind the launch need not.
inline void after_blocks(cudaStream_t stream, const std::vector<Use>& uses, const dim3& grid,
                         const Awaiting& awaiting) {
  after(stream, with_traced(uses, awaiting, grid));
  for (Flight& flight : lanes().flights) {
    if (!flight.in_blocks) continue;
    if (flight.done == nullptr) flight.done = take_event();
    cudaEventRecord(flight.done, stream);
    flight.ended = true, flight.ended_on = stream, flight.end = nullptr;
    flight.joined.push_back(stream);
    flight.in_blocks = false;
  }
}
