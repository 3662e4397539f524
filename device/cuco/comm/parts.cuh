// Exchanges in parts, each on its way when its slice of the launch before is done.
#pragma once

#include <cuco/comm/slices.cuh>

namespace cuco::comm {

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
  message.sequence += part;
  return message;
}
// What a part sends and receives, and what it sends on when that has come.
struct PartWork {
  Piece piece;
  std::vector<Message> relays;
};
inline PartWork contiguous_part(const Pending& call, bool is_cut, int index) {
  PartWork part;
  auto cut = [&](const Message& message) {
    return part_of(message, index, bytes_of_part(call.route.parts, is_cut, index, message.bytes));
  };
  for (const Message& send : call.work.sends) part.piece.sends.push_back(cut(send));
  for (const Message& one : call.work.receives) part.piece.receives.push_back(cut(one));
  for (const Relay& relay : call.relays) part.relays.push_back(cut(relay.send));
  return part;
}

// Copies are left to the copy engine, which takes nothing from the kernels beside it. They go on the stream of its
// slice, so that the next part does not wait for them.
inline cudaStream_t stream_beside(bool is_cut, int part) {
  return is_cut ? slice_streams().streams[part] : slice_streams().parts;
}
inline void begin_part(bool is_cut, int part) {
  SliceStreams& slices = slice_streams();
  if (is_cut) follow(slices.parts, slices.done[part], slices.streams[part]);
}
inline void end_part(bool is_cut, int part) {
  SliceStreams& slices = slice_streams();
  if (is_cut) follow(slices.streams[part], slices.arrived[part], slices.arrivals);
}

// Half a block finds room sooner between the blocks of a kernel in slices.
inline unsigned width_in_parts(const Piece& piece, const Route& route) {
  return std::min(kThreads / 2u, width_of(piece, route.issue, route.via));
}

// The part leaves; its receives are awaited, first those that others wait for.
inline cudaError_t run_part(const Pending& call, Channel& channel, int index, const PartWork& part) {
  SliceStreams& slices = slice_streams();
  const Route& route = call.route;
  Piece out = part.piece, first = {kAwaits, {}, {}, {}}, rest = {kAwaits, part.relays, {}, {}};
  out.phases = kAnnounces;
  for (const Message& one : part.piece.receives)
    (part.relays.empty() || over_network(channel, route.via, one.peer) ? first : rest).receives.push_back(one);
  cudaError_t result = run(out, route.kernel, route.blocks, width_in_parts(out, route), channel, slices.parts);
  follow(slices.arrivals, slices.posted[index], slices.parts);
  if (result == cudaSuccess) result = run(first, route.kernel, 1, threads_of(Issue::Warp), channel, slices.arrivals);
  if (result == cudaSuccess && !rest.receives.empty())
    result = run(rest, route.kernel, route.blocks, width_in_parts(rest, route), channel, slices.arrivals);
  return result;
}

inline cudaError_t run_contiguous(const Pending& call, Channel& channel, bool is_cut, int part) {
  cudaError_t result = cudaSuccess;
  for (const Copy& copy : call.work.copies) {
    PartBytes bytes = bytes_of_part(call.route.parts, is_cut, part, copy.bytes);
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

// All messages have the same size, in rows that the units share.
inline bool is_packed(const Pending& call, bool is_cut) {
  size_t pitch = call.route.parts.piece_bytes * slice_streams().units;
  if (!is_cut || pitch == 0) return false;
  size_t bytes = call.work.sends.empty() ? 0 : call.work.sends[0].bytes;
  for (const std::vector<Message>* messages : {&call.work.sends, &call.work.receives})
    for (const Message& one : *messages)
      if (one.bytes != bytes) return false;
  for (const Copy& copy : call.work.copies)
    if (copy.bytes != bytes) return false;
  return bytes > 0 && bytes % pitch == 0;
}

// One part of packed messages: pieces of rows in the program's buffers, without gaps in the window. Regions of the
// window hold a message each; those from one place share theirs.
struct PackedPart {
  const Pending& call;
  Channel& channel;
  int part;
  PartBytes bytes;
  size_t message_bytes, rows, width, pitch, column;
  size_t region = 0;
  cudaError_t result = cudaSuccess;
  PartWork sent = {};

  PackedPart(const Pending& of, Channel& on, int index) : call(of), channel(on), part(index) {
    const SliceStreams& slices = slice_streams();
    message_bytes = call.work.sends[0].bytes;
    bytes = bytes_of_part(call.route.parts, true, part, message_bytes);
    pitch = call.route.parts.piece_bytes * slices.units;
    rows = message_bytes / pitch;
    width = (bytes.end - bytes.begin) / rows;
    column = slices.cuts[part] * call.route.parts.piece_bytes;
  }

  const OwnWindow& packing() const { return channel.packing; }
  char* place_of(const Message& message) const { return channel.windows[message.window].base + message.offset; }
  void copy(char* to, size_t to_pitch, const char* from, size_t from_pitch) {
    if (width == 0 || result != cudaSuccess) return;
    result = cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, rows, cudaMemcpyDeviceToDevice,
                               stream_beside(true, part));
  }
  Message staged(Message message, size_t begin) const {
    message.window = (int16_t)packing().window;
    message.offset = begin;
    return part_of(message, part, bytes);
  }

  void pack_sends() {
    std::map<const char*, size_t> regions;
    for (const Message& send : call.work.sends) {
      const char* from = place_of(send);
      auto place = regions.insert({from, region});
      sent.piece.sends.push_back(staged(send, place.first->second));
      if (!place.second) continue;
      region += message_bytes;
      copy(packing().base + sent.piece.sends.back().offset, width, from + column, pitch);
    }
  }
  void run_piece() {
    for (const Message& one : call.work.receives) {
      sent.piece.receives.push_back(staged(one, region));
      region += message_bytes;
    }
    for (const Relay& relay : call.relays) {
      Message carried = sent.piece.receives[relay.receive], send = staged(relay.send, 0);
      send.offset = carried.offset;
      sent.relays.push_back(send);
    }
    if (result == cudaSuccess) result = run_part(call, channel, part, sent);
  }
  void unpack_receives() {
    for (size_t i = 0; i < sent.piece.receives.size(); i++)
      copy(place_of(call.work.receives[i]) + column, pitch, packing().base + sent.piece.receives[i].offset, width);
  }
};

inline cudaError_t run_packed(const Pending& call, Channel& channel, int part) {
  PackedPart packed(call, channel, part);
  packed.pack_sends();
  for (const Copy& copy : call.work.copies)
    packed.copy(copy.to + packed.column, packed.pitch, copy.from + packed.column, packed.pitch);
  begin_part(true, part);
  packed.run_piece();
  end_part(true, part);
  packed.unpack_receives();
  return packed.result;
}

// Whether the launch before was cut for this call; makes room for packed messages, or waits for the stream of the call.
inline ncclResult_t prepare_parts(const Pending& call, Channel& channel, bool& is_cut, bool& packed) {
  SliceStreams& slices = slice_streams();
  is_cut = slices.count == call.route.parts.count && slices.home == call.stream;
  for (const std::vector<Message>* messages : {&call.work.sends, &call.work.receives})
    for (const Message& one : *messages) is_cut = is_cut && are_cut(one.bytes);
  packed = is_packed(call, is_cut);
  is_cut = is_cut && (packed || call.route.parts.piece_bytes == 0);
  if (packed) return grow(channel, &Channel::packing, 2 * channel.ranks * call.work.sends[0].bytes);
  if (!is_cut) follow(slices.parts, slices.begun, call.stream);
  return ncclSuccess;
}

// Part k waits for slice k alone, and the stream of the call for all parts.
struct PartsRoute {
  static ncclResult_t submit(Pending& call) {
    open_slices();
    SliceStreams& slices = slice_streams();
    Channel& channel = channel_of(call.comm);
    bool is_cut = false, packed = false;
    ncclResult_t prepared = prepare_parts(call, channel, is_cut, packed);
    if (prepared != ncclSuccess) return prepared;
    if (hooks().wait_for_transfers != nullptr) hooks().wait_for_transfers(slices.parts);
    cudaError_t result = cudaSuccess;
    for (int part = 0; part < call.route.parts.count && result == cudaSuccess; part++)
      result = packed ? run_packed(call, channel, part) : run_contiguous(call, channel, is_cut, part);
    Piece flush = {kFlushes, {}, {}, {}};
    if (call.route.via != Via::Lsa && result == cudaSuccess)
      result = run(flush, call.route.kernel, 1, threads_of(Issue::Warp), channel, slices.arrivals);
    join_parts(call.stream, is_cut ? call.route.parts.count : 0);
    if (hooks().untracked != nullptr) hooks().untracked();
    return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
  }
};

}  // namespace cuco::comm
