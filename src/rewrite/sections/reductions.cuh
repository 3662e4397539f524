
// A reduction: each rank reduces a slice, which it gets from all peers, in the order of ranks, so that all get the same
// bits; where all ranks want the result, it sends its slice back. By load and store it reads its peers' memory, over
// the network they send to its staging window.
struct Peer {
  uint32_t sent, received;  // Numbers of the first message in each direction.
  int rank;
};
struct Reduction {
  size_t count, slice;    // Elements in all, and of one slice at most.
  uint32_t width, pitch;  // Where they are pieces of rows, elements of a piece and of a row; else 0.
  uint64_t input, output, staging;
  int rank, ranks, peer_count;
  int root;    // Who wants the result: a rank, or one of the two below.
  int phases;  // Those of an exchange; kAnnounces is all but the waiting.
  Items<Peer> peers;
};
constexpr int kEveryoneAll = -1;    // All of it.
constexpr int kEveryoneSlice = -2;  // Each its slice; `count` is ranks * slice.

// Of a reduction between two ranks, in one direction.
__host__ __device__ inline uint32_t messages_of(const Reduction& work) { return work.root == kEveryoneAll ? 2 : 1; }

using ReduceKernel = void (*)(Endpoint, Reduction);
CUCO_REDUCING_DECLARED;
struct ReduceWay {
  ReduceKernel (*kernel_for)(ncclDataType_t);
  int blocks;
  Reach reach;
  Course course = {};
  Parts parts = {};
  CUCO_REDUCING_KERNEL;
};

// Grows by a collective call, which all ranks make or none: they reduce the same count.
inline ncclResult_t need_staging(Channel& channel, size_t bytes) {
  if (bytes <= channel.staging_bytes) return ncclSuccess;
  void* memory = nullptr;
  if (cudaDeviceSynchronize() != cudaSuccess) return ncclUnhandledCudaError;
  ncclResult_t result = ncclMemAlloc(&memory, bytes);
  if (result == ncclSuccess) result = add_window(channel, (char*)memory, bytes);
  channel.staging_window = (int)channel.windows.size() - 1;
  channel.staging_bytes = bytes;
  channel.own_memory.push_back(memory);
  return result;
}

inline uint64_t place_of(const Channel& channel, const void* pointer, size_t bytes) {
  Message found = message_at(channel, pointer, bytes, 0);
  return place_at(found.window, found.offset);
}

// A reduction that is ready to run, and what it touches here.
struct ReduceCall {
  ncclComm_t comm;
  cudaStream_t stream;
  ReduceWay way;
  ReduceKernel kernel;
  Reduction work;
  std::vector<Peer> more_peers;
  const void* input;
  void* output;
  size_t input_bytes, output_bytes, element_bytes;
  ncclDataType_t type;
};
ncclResult_t submit(ReduceCall& call);
CUCO_REDUCED_PARTS_DECLARED;

// No more than there are packs of 16 bytes, in whole warps.
inline unsigned threads_for(const ReduceCall& call, unsigned most) {
  size_t packs = (call.work.slice * call.element_bytes + 15) / 16, warps = (packs / call.way.blocks + 31) / 32;
  return (unsigned)std::min<size_t>(most, 32 * std::max<size_t>(warps, 1));
}

inline cudaError_t run(const ReduceCall& call, unsigned threads, cudaStream_t stream) {
  Reduction work = call.work;
  size_t places = call.way.reach == Reach::Lsa ? 2 * work.ranks * sizeof(char*) : 0;
  cudaError_t result = lift_items(work.peers, call.more_peers, stream);
  void* arguments[] = {&channel_of(call.comm).endpoint, &work};
  if (result == cudaSuccess)
    result = cudaLaunchKernel((const void*)call.kernel, call.way.blocks, threads, arguments, places, stream);
  return result == cudaSuccess ? drop_items(work.peers, call.more_peers, stream) : result;
}

// The peers of a reduction, with the numbers that its messages get. One that loads from its peers tells them when it is
// done, as the sender of a message does.
inline void number_messages(Channel& channel, Reach reach, Reduction& work, std::vector<Peer>& more) {
  for (int step = 1; step < channel.ranks; step++) {
    int peer = (channel.rank + step) % channel.ranks;
    bool sends = work.root < 0 || peer == work.root, receives = work.root < 0 || channel.rank == work.root;
    if (reach == Reach::Lsa) std::swap(sends, receives);
    uint32_t& sent = channel.sent[over_network(channel, reach, peer)][peer];
    uint32_t& received = channel.received[over_network(channel, reach, peer)][peer];
    add_item(work.peers, work.peer_count, more, {sent, received, peer});
    if (sends) sent += messages_of(work);
    if (receives) received += messages_of(work);
  }
}

inline ncclResult_t number_and_submit(ReduceCall& call) {
  Channel& channel = channel_of(call.comm);
  size_t staged = call.work.root >= 0 ? call.work.count : call.work.slice;
  ncclResult_t result = ncclSuccess;
  if (call.way.reach != Reach::Lsa) result = need_staging(channel, staged * call.element_bytes * channel.ranks);
  if (result != ncclSuccess) return result;
  call.work.staging = place_at(channel.staging_window, 0);
  number_messages(channel, call.way.reach, call.work, call.more_peers);
  return submit(call);
}

// `count` elements of input; a rank that does not want the result may pass no output.
inline ncclResult_t reduce_call(const ReduceWay& way, const void* input, void* output, size_t count, size_t slice,
                                int root, ncclDataType_t type, ncclComm_t comm, cudaStream_t stream) {
  Channel& channel = channel_of(comm);
  size_t element_bytes = bytes_of(type);
  ReduceKernel kernel = way.kernel_for(type);
  if (count == 0) return ncclSuccess;
  Reduction work = {count,
                    slice,
                    0,
                    0,
                    place_of(channel, input, element_bytes),
                    place_of(channel, output, element_bytes),
                    0,
                    channel.rank,
                    channel.ranks,
                    0,
                    root,
                    kWholeExchange,
                    {}};
  bool wants = root < 0 || channel.rank == root;
  size_t results = !wants ? 0 : root == kEveryoneSlice ? slice : count;
  ReduceCall call = {
      comm,          stream, way, kernel, work, {}, input, output, count * element_bytes, results * element_bytes,
      element_bytes, type};
  if (work.input == 0 || kernel == nullptr) return ncclInvalidArgument;
  CUCO_REDUCED_IN_PARTS;
  return number_and_submit(call);
}
