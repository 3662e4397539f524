
// Whether the launch is the one that was traced before this call.
inline bool feeds(const Held& launch, const ReduceCall& call) {
  if (!launch.launch || launch.stream != call.stream || launch.reduced != call.type) return false;
  return std::find(launch.pointers.begin(), launch.pointers.end(), call.input) != launch.pointers.end();
}

// Part after part where the call is one of the traced size, or of the size that its launch writes, on all ranks alike.
inline bool is_in_parts(const ReduceCall& call) {
  const Parts& parts = call.way.parts;
  size_t message = call.work.root == kEveryoneSlice ? call.output_bytes : call.input_bytes;
  size_t pitch = parts.piece_bytes == 0 ? message : parts.piece_bytes * parts.units;
  bool fits = message == parts.message_bytes && message % pitch == 0 && pitch % (parts.units * call.element_bytes) == 0;
  return fits && call.input_bytes <= UINT32_MAX && call.work.ranks <= kMessages;
}

// As the launch cuts what it writes, whatever its size.
inline void take_parts(ReduceCall& call, const FusedShape& shape) {
  call.way.parts.units = units_of(shape.grid, shape.dimension);
  call.way.parts.message_bytes = (size_t)shape.message_bytes / (call.work.root == kEveryoneSlice ? call.work.ranks : 1);
}

// Each of a part's messages has a number of its own, whether or not it is sent.
inline void number_parts(Channel& channel, const ReduceCall& call, Reducing& all) {
  Reduction& work = all.work;
  bool to_all = work.root == kEveryoneAll;
  std::vector<Peer> more;
  for (int step = 1; step < channel.ranks; step++) {
    int peer = (channel.rank + step) % channel.ranks;
    bool far = over_network(channel, call.way.reach, peer);
    uint32_t parts = (uint32_t)all.parts, messages = to_all ? (far ? 2 * parts : parts + 1) : parts;
    bool reduces = work.root < 0 || channel.rank == work.root, is_reducer = work.root < 0 || peer == work.root;
    add_item(work.peers, work.peer_count, more, {channel.sent[far][peer], channel.received[far][peer], peer});
    if (far ? is_reducer : reduces) channel.sent[far][peer] += messages;
    if (far ? reduces : is_reducer) channel.received[far][peer] += messages;
    all.near_results = all.near_results || (to_all && !far);
  }
}

// Small enough for many blocks to share what is left after the last of them has computed.
constexpr size_t kItemBytes = 8192;
inline unsigned items_of(const ReduceCall& call, const Reducing& all) {
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

inline ncclResult_t reducing_of(const ReduceCall& call, Channel& channel, const FusedGrid& grid, Reducing& all) {
  const Parts& parts = call.way.parts;
  all = {grid, channel.endpoint, call.work};
  drop_empty_parts(all);
  size_t pitch = parts.piece_bytes == 0 ? parts.message_bytes : parts.piece_bytes * parts.units;
  all.pitch = (uint32_t)(pitch / call.element_bytes);
  all.piece = all.pitch / parts.units;
  all.rows = call.input_bytes / pitch;
  all.staged = call.work.root == kEveryoneSlice ? call.work.slice : call.work.count;
  all.element_bytes = call.element_bytes;
  all.items = items_of(call, all);
  all.staying = multiprocessors();
  all.counters = counters_of(call.comm, call.stream);
  ncclResult_t result = ncclSuccess;
  if (call.way.reach != Reach::Lsa) result = need_staging(channel, all.staged * call.element_bytes * channel.ranks);
  all.here = channel.endpoint;
  all.work.staging = place_at(channel.staging_window, 0);
  number_parts(channel, call, all);
  return result;
}

// What the call reduces is written already; the blocks of this kernel only reduce.
inline cudaError_t run_written(const ReduceCall& call, Reducing& all) {
  all.is_written = true;
  void* arguments[] = {&all};
  return cudaLaunchKernel((const void*)call.way.in_parts_for(call.type), call.way.blocks, kThreads, arguments, 0,
                          call.stream);
}

inline ncclResult_t submit_reducing(ReduceCall& call) {
  Held launch = take_held();
  bool is_fused = feeds(launch, call);
  if (is_fused) take_parts(call, launch.shape);
  if (!is_in_parts(call)) {
    if (launch.launch) launch.launch(nullptr);
    return number_and_submit(call);
  }
  Channel& channel = channel_of(call.comm);
  FusedGrid grid = grid_of(is_fused ? launch.shape.grid : dim3(call.way.parts.units),
                           is_fused ? launch.shape.dimension : 0, call.way.parts.count);
  Reducing all;
  ncclResult_t prepared = reducing_of(call, channel, grid, all);
  if (prepared != ncclSuccess) return prepared;
  if (launch.launch) launch.launch(is_fused ? &all : nullptr);
  cudaError_t result = is_fused ? cudaGetLastError() : run_written(call, all);
  return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
