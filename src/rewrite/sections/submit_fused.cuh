
// Whether the held launch writes what the call sends, as it did where it was traced.
inline bool feeds(const Held& launch, const Pending& call, const Channel& channel) {
  const Piece& work = call.work;
  if (!launch.launch || launch.stream != call.stream || launch.reduced != ncclNumTypes) return false;
  if (work.sends.empty()) return false;
  bool fits = work.sends.size() <= kMessages && work.receives.size() <= kMessages &&
              call.relays.size() <= kFusedRelays;
  for (const Message& send : work.sends) fits = fits && (int64_t)send.bytes == launch.shape.message_bytes;
  const char* first = channel.windows[work.sends[0].window].base + work.sends[0].offset;
  for (const Message& send : work.sends)
    first = std::min<const char*>(first, channel.windows[send.window].base + send.offset);
  for (const auto& own : call.to_self) first = std::min(first, (const char*)own.first);
  return fits && std::find(launch.pointers.begin(), launch.pointers.end(), first) != launch.pointers.end();
}

inline Fusing fusing_of(const Held& launch, const Pending& call, const Channel& channel) {
  Fusing fusing = {grid_of(launch.shape.grid, launch.shape.dimension, call.way.parts.count)};
  fusing.here = channel.endpoint;
  for (const Message& send : call.work.sends) fusing.sends[fusing.send_count++] = send;
  for (const Message& one : call.work.receives) fusing.receives[fusing.receive_count++] = one;
  for (const Relay& relay : call.relays) fusing.relays[fusing.relay_count++] = relay;
  const dim3& grid = launch.shape.grid;
  fusing.relay_shares = std::min(kStaying, grid.x * grid.y * grid.z);
  // What has no near peers stores nothing.
  if (call.way.reach != Reach::Gin && call.work.copies.size() == 1 &&
      (int64_t)call.work.copies[0].bytes == launch.shape.message_bytes)
    fusing.own = call.work.copies[0];
  fusing.piece_bytes = launch.shape.piece_bytes;
  fusing.tiles = launch.shape.tiles;
  fusing.counters = counters_of(call.comm, call.stream);
  return fusing;
}

// All of a message in its last part.
inline void add_whole(std::vector<Message>& all, const Message& message, int parts) {
  for (int part = 0; part < parts; part++) {
    all.push_back(message);
    all.back().number += part;
    if (part + 1 < parts) all.back().bytes = 0;
  }
}
inline Piece whole_parts(const Pending& call) {
  Piece piece = {kWholeExchange, {}, {}, call.work.copies};
  for (const Message& send : call.work.sends) add_whole(piece.sends, send, call.way.parts.count);
  for (const Message& one : call.work.receives) add_whole(piece.receives, one, call.way.parts.count);
  return piece;
}
inline Piece whole_relays(const Pending& call) {
  Piece piece = {kFlushes, {}, {}, {}};
  for (const Relay& relay : call.relays) add_whole(piece.sends, relay.send, call.way.parts.count);
  return piece;
}

// What comes through this rank is sent on between the exchange with other nodes and that inside of this one.
inline cudaError_t run_unfused(const Pending& call, Channel& channel) {
  const Way& way = call.way;
  Piece all = whole_parts(call);
  if (call.relays.empty())
    return run(all, way.kernel, way.blocks, width_of(all, way.issue, way.reach), channel, call.stream);
  Piece out = all, first = {kAwaits, {}, {}, {}}, rest = {kAwaits, whole_relays(call).sends, {}, {}};
  out.phases = kAnnounces;
  for (const Message& one : all.receives)
    (over_network(channel, way.reach, one.peer) ? first : rest).receives.push_back(one);
  rest.phases = kAwaits | kFlushes;
  cudaError_t result = run(out, way.kernel, way.blocks, width_of(out, way.issue, way.reach), channel, call.stream);
  if (result == cudaSuccess) result = run(first, way.kernel, 1, threads_of(Issue::Warp), channel, call.stream);
  if (result == cudaSuccess)
    result = run(rest, way.kernel, way.blocks, width_of(rest, way.issue, way.reach), channel, call.stream);
  return result;
}

inline ncclResult_t submit_fused(Pending& call) {
  Channel& channel = channel_of(call.comm);
  Held launch = take_held();
  cudaError_t result = cudaSuccess;
  if (feeds(launch, call, channel)) {
    Fusing fusing = fusing_of(launch, call, channel);
    launch.launch(&fusing);
    result = cudaGetLastError();
    for (const Copy& copy : call.work.copies)
      if (result == cudaSuccess && fusing.own.bytes == 0)
        result = cudaMemcpyAsync(copy.to, copy.from, copy.bytes, cudaMemcpyDeviceToDevice, call.stream);
  } else {
    if (launch.launch) launch.launch(nullptr);
    result = run_unfused(call, channel);
  }
  return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
