
// All messages have the same size, in rows that the units share.
inline bool is_packed(const Pending& call, bool is_cut) {
  size_t pitch = call.way.parts.piece_bytes * slice_streams().units;
  if (!is_cut || pitch == 0) return false;
  size_t bytes = call.work.sends.empty() ? 0 : call.work.sends[0].bytes;
  for (const std::vector<Message>* messages : {&call.work.sends, &call.work.receives})
    for (const Message& one : *messages)
      if (one.bytes != bytes) return false;
  for (const Copy& copy : call.work.copies)
    if (copy.bytes != bytes) return false;
  return bytes > 0 && bytes % pitch == 0;
}

// One part of packed messages: pieces of rows in the program's buffers, without gaps in the window. Regions of the window
// hold a message each; those from one place share theirs.
struct PackedPart {
  const Pending& call;
  Channel& channel;
  int part;
  PartBytes bytes;
  size_t message_bytes, rows, width, pitch, column;
  size_t region = 0;
  cudaError_t result = cudaSuccess;
  PartWork sent = {};

  PackedPart(const Pending& of, Channel& on, int number) : call(of), channel(on), part(number) {
    const SliceStreams& slices = slice_streams();
    message_bytes = call.work.sends[0].bytes;
    bytes = bytes_of_part(call.way.parts, true, part, message_bytes);
    pitch = call.way.parts.piece_bytes * slices.units;
    rows = message_bytes / pitch;
    width = (bytes.end - bytes.begin) / rows;
    column = slices.cuts[part] * call.way.parts.piece_bytes;
  }

  const Packing& packing() const { return slice_streams().packings.at(call.comm); }
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
