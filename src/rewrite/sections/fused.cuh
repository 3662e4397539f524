
// Kernels that send what they write. A launch whose bytes the next call sends is held back until that call, which gives
// it the exchange: blocks store what they wrote into the windows of near peers, count what is done, and the last of each
// part of a message lets the peers know, or sends it through the network. One kernel then announces, computes, sends and
// waits. Where the call is not the one that was traced, or has other sizes, the launch runs as written and the exchange
// after it. Sender and receiver agree on the number of parts of a message, not on what is in them, so ranks may differ
// in this.
constexpr int kFusedParts = 16;
constexpr int kFusedRelays = 8;
constexpr unsigned kStaying = 8;  // Blocks that may wait for what is to be sent on.

// What block (x, y, z) writes of a message: `count` pieces of `bytes`, `stride` apart, the first at
// x * steps[0] + y * steps[1] + z * steps[2]. No two blocks write the same bytes, and together they write all.
struct Tiles {
  int64_t steps[3];
  int64_t bytes, stride;
  int64_t count;  // 0: blocks write nothing of this form.
};

// The launch as it is where it was traced. Blocks with one index of the dimension are a unit; unit i of n owns bytes [i, i + 1) / n
// of each message, or `piece_bytes` of each of its rows.
struct FusedShape {
  int dimension;
  int64_t piece_bytes;  // 0: whole rows.
  int64_t message_bytes;
  dim3 grid, block;
  Tiles tiles;
};

// Of blocks and parts, zero between launches of their stream.
struct FusedCounters {
  uint32_t written[kFusedParts];  // Blocks that have done their own work,
  uint32_t stored[kFusedParts];   // and have stored it into the windows of near peers, by part.
  uint32_t come, staying, ended;  // Blocks that have begun, that wait for what is to be sent on, that have left.
  uint32_t left;                  // Parts that are on their way to all peers.
  uint32_t posting;               // Whether some block posts a part to other nodes.
  uint32_t passed_on;             // Shares of relays that somebody sends on,
  uint32_t relayed[kFusedRelays * kFusedParts];  // and those that have been, by part.
  CUCO_SPECIALISED_COUNTERS;
  CUCO_REDUCING_COUNTERS;
};

// The grid of a launch, in units of one dimension, and the parts that they are dealt out to.
struct FusedGrid {
  int dimension, parts, parts_with_units;
  bool in_order;  // Blocks go through the units one after the other as it is.
  unsigned units, cuts[kFusedParts + 1];  // Part k has the units from cuts[k] to cuts[k + 1].
};

struct Held {
  std::function<void(const FusedGrid*)> launch;  // With nothing: as the program wrote it.
  FusedShape shape;
  cudaStream_t stream;
  std::vector<const void*> pointers;  // That the kernel gets.
  ncclDataType_t reduced = ncclNumTypes;  // The elements that it reduces; none for a kernel that moves bytes.
};
struct HeldLaunches {
  Held one;
  std::map<std::pair<ncclComm_t, cudaStream_t>, FusedCounters*> counters;
};
inline HeldLaunches& held() {
  thread_local HeldLaunches all;
  return all;
}

inline void release_held() {
  Held one = std::move(held().one);
  held().one = {};
  if (one.launch) one.launch(nullptr);
}

template <typename T>
void add_pointer(std::vector<const void*>& all, T* pointer) {
  all.push_back(pointer);
}
template <typename T>
void add_pointer(std::vector<const void*>&, const T&) {}
// Those of a kernel's arguments that are pointers.
template <typename... Arguments>
std::vector<const void*> pointers_of(const Arguments&... arguments) {
  std::vector<const void*> all;
  (add_pointer(all, arguments), ...);
  return all;
}

inline bool same_extent(const dim3& a, const dim3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

inline unsigned units_of(const dim3& grid, int dimension) {
  return dimension == 0 ? grid.x : dimension == 1 ? grid.y : grid.z;
}
// Whether units have equal shares of the message.
inline bool has_shares(const FusedShape& shape) {
  int64_t units = units_of(shape.grid, shape.dimension);
  int64_t pitch = shape.piece_bytes == 0 ? shape.message_bytes : shape.piece_bytes * units;
  return pitch > 0 && pitch % units == 0 && shape.message_bytes % pitch == 0;
}
// Whether tiles fill the message and no byte twice: pieces lie one behind the other along what has the shortest steps,
// these runs along what has the next, and so on.
inline bool fills_message(const FusedShape& shape) {
  const Tiles& tiles = shape.tiles;
  std::pair<int64_t, int64_t> steps[] = {{tiles.steps[0], shape.grid.x},
                                         {tiles.steps[1], shape.grid.y},
                                         {tiles.steps[2], shape.grid.z},
                                         {tiles.stride, tiles.count}};
  std::sort(std::begin(steps), std::end(steps));
  int64_t run = tiles.bytes;
  for (const auto& [step, count] : steps) {
    if (count == 1) continue;
    if (step != run) return false;
    run *= count;
  }
  return run == shape.message_bytes;
}

// In place of a launch. One that is not like those that were traced is not held.
inline void hold(Held one, dim3 grid, dim3 block) {
  release_held();
  bool traced = same_extent(grid, one.shape.grid) && same_extent(block, one.shape.block) && has_shares(one.shape);
  if (!traced || (one.shape.tiles.count != 0 && !fills_message(one.shape))) return one.launch(nullptr);
  held().one = std::move(one);
}
inline Held take_held() {
  Held one = std::move(held().one);
  held().one = {};
  return one;
}

inline void close_fused(ncclComm_t comm) {
  release_held();
  auto& counters = held().counters;
  for (auto one = counters.begin(); one != counters.end();) {
    if (one->first.first == comm) cudaFree(one->second);
    one = one->first.first == comm ? counters.erase(one) : std::next(one);
  }
}

// Launches that share counters follow each other in their stream.
inline FusedCounters* counters_of(ncclComm_t comm, cudaStream_t stream) {
  FusedCounters*& counters = held().counters[{comm, stream}];
  if (counters == nullptr && cudaMalloc(&counters, sizeof *counters) == cudaSuccess)
    cudaMemset(counters, 0, sizeof *counters);
  return counters;
}

// Parts are small at both ends: the first leaves early, and little is left to send after the last block.
inline int cut_fused(unsigned units, int parts, unsigned* cuts) {
  unsigned sum = 0, all = 0;
  int with_units = 0;
  auto weight = [&](int part) { return part == 0 || part + 1 == parts ? 1 : 2; };
  for (int i = 0; i < parts; i++) all += weight(i);
  for (int i = 0; i <= parts; i++) {
    cuts[i] = (unsigned)(((uint64_t)units * sum + all / 2) / all);
    if (i > 0) with_units += cuts[i] > cuts[i - 1];
    sum += weight(i);
  }
  return with_units;
}

// Whether blocks in their linear order go through the units of the dimension one after the other.
inline bool is_in_order(const dim3& grid, int dimension) {
  if (dimension == 0) return grid.y == 1 && grid.z == 1;
  return dimension == 2 || grid.z == 1;
}

inline FusedGrid grid_of(const dim3& grid, int dimension, int parts) {
  FusedGrid fused = {};
  fused.dimension = dimension;
  fused.units = units_of(grid, dimension);
  fused.parts = parts;
  fused.parts_with_units = cut_fused(fused.units, parts, fused.cuts);
  fused.in_order = is_in_order(grid, dimension);
  return fused;
}
