
// Kernels that send what they write, message by message. A launch that writes what the next call sends is held back until
// that call, which tells it the messages: every block counts itself done for the parts of messages that it writes, and
// the last block of a part sends it, or lets a near peer know that all blocks have stored theirs. Sender and receiver
// know the bytes of a message and cut it alike, so ranks may differ in who sends: what no held launch writes, and
// everything where a launch was not like the traced ones, is sent by the kernel of the call.
constexpr bool kReadersAwait = CUCO_READERS_AWAIT;  // What comes is awaited by who reads it, not at the call.
constexpr int kTilesMax = 4;
constexpr size_t kHeldMax = 8, kFedMax = 512;  // Launches that wait for a call, and parts that one of them sends.

// What block (x, y, z) writes: `count` pieces of `bytes`, `stride` apart, the first at
// begin + x * steps[0] + y * steps[1] + z * steps[2]. It may write less, and nothing else of what is sent.
struct SentTiles {
  const char* begin;
  ptrdiff_t steps[3];
  ptrdiff_t bytes, stride, count;
  ptrdiff_t filled;  // So many bytes from `begin` on have one block each; 0: some have none or several.

  __host__ __device__ const char* of(unsigned x, unsigned y, unsigned z) const {
    return begin + x * steps[0] + y * steps[1] + z * steps[2];
  }
  __host__ __device__ ptrdiff_t length() const { return (count - 1) * stride + bytes; }
};

// A launch as it was traced.
struct SendShape {
  bool like;         // The numbers of this one are those of the traced.
  dim3 grid, block;  // An extent of 0 is as well any other.
  std::vector<SentTiles> tiles;  // kTilesMax at most.
};

// A part of a message that blocks of a launch write.
struct FedPart {
  Message message;
  const char* begin;
  uint32_t blocks;  // That write it.
  int16_t tiles;
  bool stored;  // By each block its own.
};

// Zero between launches of their stream.
struct SendCounters {
  uint32_t come, gone;      // Blocks that have begun and ended.
  uint32_t done[kFedMax];  // Blocks that have written their share of a part, or stored it.
};

// What a kernel gets to send what it writes.
struct Sending {
  Endpoint here;
  int phases;  // What it does for messages that come: announces them, awaits them.
  int fed_count, receive_count;
  Items<FedPart> fed;
  Items<Message> receives;
  SentTiles tiles[kTilesMax];
  SendCounters* counters;
};

struct Sender {
  std::function<void(const Sending*)> launch;  // With nothing: as the program wrote it.
  SendShape shape;
  cudaStream_t stream;
};
struct Senders {
  std::vector<Sender> held;
  std::map<std::pair<ncclComm_t, cudaStream_t>, SendCounters*> counters;
};
inline Senders& senders() {
  thread_local Senders all;
  return all;
}

inline std::vector<Sender> take_held() {
  std::vector<Sender> all;
  all.swap(senders().held);
  return all;
}
inline void release_held() {
  for (const Sender& one : take_held()) one.launch(nullptr);
}

// Whether tiles fill so many bytes and none twice: pieces lie one behind the other along what has the shortest steps,
// these runs along what has the next, and so on.
inline bool tiles_fill(const SentTiles& tiles, const dim3& grid) {
  std::pair<ptrdiff_t, ptrdiff_t> steps[] = {
      {tiles.steps[0], grid.x}, {tiles.steps[1], grid.y}, {tiles.steps[2], grid.z}, {tiles.stride, tiles.count}};
  std::sort(std::begin(steps), std::end(steps));
  ptrdiff_t run = tiles.bytes;
  for (const auto& [step, count] : steps) {
    if (count == 1) continue;
    if (step != run) return false;
    run *= count;
  }
  return run > 0 && tiles.stride > 0 && run == tiles.filled;
}
inline bool is_like(const SendShape& shape, const dim3& grid, const dim3& block) {
  bool like = shape.like && has_shape(grid, shape.grid) && has_shape(block, shape.block);
  for (const SentTiles& tiles : shape.tiles) like = like && (tiles.filled == 0 || tiles_fill(tiles, grid));
  return like;
}

// In place of a launch. One that is not like the traced ones is not held.
template <typename Launch>
void hold_sender(const std::vector<SendShape>& shapes, dim3 grid, dim3 block, cudaStream_t stream, Launch launch) {
  if (senders().held.size() == kHeldMax) release_held();
  for (const SendShape& shape : shapes)
    if (is_like(shape, grid, block)) {
      senders().held.push_back({launch, shape, stream});
      senders().held.back().shape.grid = grid;
      return;
    }
  release_held();
  launch(nullptr);
}

template <typename T>
const char* behind(T* pointer, ptrdiff_t offset) {
  return (const char*)pointer + offset;
}

inline void close_senders(ncclComm_t comm) {
  release_held();
  auto& counters = senders().counters;
  for (auto one = counters.begin(); one != counters.end();) {
    if (one->first.first == comm) cudaFree(one->second);
    one = one->first.first == comm ? counters.erase(one) : std::next(one);
  }
}

// Launches that share counters follow each other in their stream.
inline SendCounters* send_counters(ncclComm_t comm, cudaStream_t stream) {
  SendCounters*& counters = senders().counters[{comm, stream}];
  if (counters == nullptr && cudaMalloc(&counters, sizeof *counters) == cudaSuccess)
    cudaMemset(counters, 0, sizeof *counters);
  return counters;
}
