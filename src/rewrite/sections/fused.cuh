
// Kernels that send what they write. A launch whose bytes the next call sends is held back until that call, which gives
// it the exchange: blocks store what they wrote into the windows of near peers, count what is done, and the last of each
// part of a message lets the peers know, or sends it through the network. One kernel then announces, computes, sends and
// waits. Where the call is not the one that was traced, or has other sizes, the launch runs as written and the exchange
// after it. Sender and receiver agree on the number of parts of a message, not on what is in them, so ranks may differ
// in this.
constexpr int kFusedParts = 16, kFusedRelays = 8;

// What block (x, y, z) writes of a message: `count` pieces of `bytes`, `stride` apart, the first at
// x * steps[0] + y * steps[1] + z * steps[2]. No two blocks write the same bytes, and together they write all.
struct Tiles {
  size_t steps[3];
  size_t bytes, stride;
  size_t count;  // 0: blocks write nothing of this form.
};

// The launch as it was traced. Blocks with one index of the dimension are a unit; unit i of n owns bytes [i, i + 1) / n
// of each message, or `piece_bytes` of each of its rows.
struct FusedShape {
  int dimension;
  size_t piece_bytes;  // 0: whole rows.
  size_t message_bytes;
  dim3 grid, block;
  Tiles tiles;
};

// Of blocks and parts, zero between launches of their stream.
struct FusedCounters {
  uint32_t written[kFusedParts];  // Blocks that have done their own work,
  uint32_t stored[kFusedParts];   // and have stored it into the windows of near peers, by part.
  uint32_t come;                  // Blocks that have come to their end.
  uint32_t left;                  // Parts that are on their way to all peers.
  uint32_t passed_on;             // Parts of relays that somebody sends on.
};

// What a kernel gets to do an exchange. Part k of a message has the message's number + k.
struct Fusing {
  Endpoint here;
  int send_count, receive_count, relay_count;
  Message sends[kMessages], receives[kMessages];
  Relay relays[kFusedRelays];
  int dimension, parts, parts_with_units;
  bool in_order;  // Blocks go through the units one after the other as it is.
  unsigned units, cuts[kFusedParts + 1];  // Part k has the units from cuts[k] to cuts[k + 1].
  size_t piece_bytes;
  Tiles tiles;
  FusedCounters* counters;
};

struct Held {
  std::function<void(const Fusing*)> launch;  // With nothing: as the program wrote it.
  FusedShape shape;
  cudaStream_t stream;
  std::vector<const void*> pointers;  // That the kernel gets.
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

// In place of a launch. One of another shape than the traced one is not held.
template <typename Launch>
void hold(const FusedShape& shape, dim3 grid, dim3 block, cudaStream_t stream, std::vector<const void*> pointers,
          Launch launch) {
  release_held();
  if (!same_extent(grid, shape.grid) || !same_extent(block, shape.block)) return launch(nullptr);
  held().one = {launch, shape, stream, std::move(pointers)};
}

inline void close_fused(ncclComm_t comm) {
  release_held();
  auto& counters = held().counters;
  for (auto one = counters.begin(); one != counters.end();) {
    if (one->first.first == comm) cudaFree(one->second);
    one = one->first.first == comm ? counters.erase(one) : std::next(one);
  }
}
