
// An exchange in parts: as many messages as slices, each on its way when its slice is done. All ranks cut alike. A part
// that is a piece of every row is put together in a window, travels as one message and is laid out by the receiver.
// Parts leave on one stream and are awaited, and sent on where others get them through this rank, on another.

// The bytes [begin, end) of a message, as it travels, that a part has. Where the launch before was not cut, or not in
// shares of this message, the last part is everything.
struct PartBytes {
  size_t begin, end;
};
inline PartBytes bytes_of_part(const Parts& parts, bool is_cut, int part, size_t bytes) {
  const SliceStreams& slices = slice_streams();
  if (!is_cut || bytes % slices.units != 0) return {0, part + 1 == parts.count ? bytes : 0};
  size_t unit_bytes = bytes / slices.units;
  return {slices.cuts[part] * unit_bytes, slices.cuts[part + 1] * unit_bytes};
}
inline Message part_of(Message message, int part, const PartBytes& bytes) {
  message.offset += bytes.begin;
  message.bytes = bytes.end - bytes.begin;
  message.number += part;
  return message;
}
// What a part sends and receives, and what it sends on when that has come.
struct PartWork {
  Piece piece;
  std::vector<Message> relays;
};
inline PartWork contiguous_part(const Pending& call, bool is_cut, int number) {
  PartWork part;
  auto cut = [&](const Message& message) {
    return part_of(message, number, bytes_of_part(call.way.parts, is_cut, number, message.bytes));
  };
  for (const Message& send : call.work.sends) part.piece.sends.push_back(cut(send));
  for (const Message& one : call.work.receives) part.piece.receives.push_back(cut(one));
  for (const Relay& relay : call.relays) part.relays.push_back(cut(relay.send));
  return part;
}

// Copies are left to the copy engine, which takes nothing from the kernels beside it. They go on the stream of its slice, so that the next part does not wait for them.
inline cudaStream_t stream_beside(bool is_cut, int part) {
  return is_cut ? slice_streams().streams[part] : slice_streams().parts;
}
inline void begin_part(bool is_cut, int part) {
  SliceStreams& slices = slice_streams();
  if (!is_cut) return;
  cudaEventRecord(slices.done[part], slices.streams[part]);
  cudaStreamWaitEvent(slices.parts, slices.done[part], 0);
}
inline void end_part(bool is_cut, int part) {
  SliceStreams& slices = slice_streams();
  if (!is_cut) return;
  cudaEventRecord(slices.arrived[part], slices.arrivals);
  cudaStreamWaitEvent(slices.streams[part], slices.arrived[part], 0);
}

// Half a block finds room sooner between the blocks of a kernel in slices.
inline unsigned width_in_parts(const Piece& piece, const Way& way) {
  return std::min(kThreads / 2u, width_of(piece, way.issue, way.reach));
}

// The part leaves; its receives are awaited, first those that others wait for.
inline cudaError_t run_part(const Pending& call, Channel& channel, int number, const PartWork& part) {
  SliceStreams& slices = slice_streams();
  const Way& way = call.way;
  Piece out = part.piece, first = {kAwaits, {}, {}, {}}, rest = {kAwaits, part.relays, {}, {}};
  out.phases = kAnnounces;
  for (const Message& one : part.piece.receives)
    (part.relays.empty() || over_network(channel, way.reach, one.peer) ? first : rest).receives.push_back(one);
  cudaError_t result = run(out, way.kernel, way.blocks, width_in_parts(out, way), channel, slices.parts);
  cudaEventRecord(slices.posted[number], slices.parts);
  cudaStreamWaitEvent(slices.arrivals, slices.posted[number], 0);
  if (result == cudaSuccess) result = run(first, way.kernel, 1, threads_of(Issue::Warp), channel, slices.arrivals);
  if (result == cudaSuccess && !rest.receives.empty())
    result = run(rest, way.kernel, way.blocks, width_in_parts(rest, way), channel, slices.arrivals);
  return result;
}

inline cudaError_t run_contiguous(const Pending& call, Channel& channel, bool is_cut, int part) {
  cudaError_t result = cudaSuccess;
  for (const Copy& copy : call.work.copies) {
    PartBytes bytes = bytes_of_part(call.way.parts, is_cut, part, copy.bytes);
    if (bytes.begin < bytes.end && result == cudaSuccess)
      result = cudaMemcpyAsync(copy.to + bytes.begin, copy.from + bytes.begin, bytes.end - bytes.begin,
                               cudaMemcpyDeviceToDevice, stream_beside(is_cut, part));
  }
  if (result != cudaSuccess) return result;
  begin_part(is_cut, part);
  result = run_part(call, channel, part, contiguous_part(call, is_cut, part));
  end_part(is_cut, part);
  return result;
}
