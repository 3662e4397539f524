
// An exchange in parts: as many messages as slices, each on its way when its slice is done. All ranks cut alike. A part
// that is a piece of every row is put together in a window, travels as one message and is laid out by the receiver.
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
inline Piece contiguous_part(const Pending& call, bool is_cut, int part) {
  Piece piece;
  auto bytes_of = [&](size_t bytes) { return bytes_of_part(call.way.parts, is_cut, part, bytes); };
  for (const Message& send : call.work.sends) piece.sends.push_back(part_of(send, part, bytes_of(send.bytes)));
  for (const Message& one : call.work.receives) piece.receives.push_back(part_of(one, part, bytes_of(one.bytes)));
  return piece;
}

// Copies are left to the copy engine, which takes nothing from the kernels beside it; so a kernel that only puts needs
// few threads, and finds room sooner.
inline int threads_of(const Way& way) { return way.reach == Reach::Gin ? 32 : 256; }

inline cudaError_t run_contiguous(const Pending& call, Channel& channel, bool is_cut, int part) {
  cudaStream_t stream = slice_streams().parts;
  cudaError_t result = cudaSuccess;
  for (const Copy& copy : call.work.copies) {
    PartBytes bytes = bytes_of_part(call.way.parts, is_cut, part, copy.bytes);
    if (bytes.begin < bytes.end && result == cudaSuccess)
      result = cudaMemcpyAsync(copy.to + bytes.begin, copy.from + bytes.begin, bytes.end - bytes.begin,
                               cudaMemcpyDeviceToDevice, stream);
  }
  if (result != cudaSuccess) return result;
  return run(contiguous_part(call, is_cut, part), call.way.kernel, call.way.blocks, channel, stream,
             threads_of(call.way));
}

// Grows by a collective call, which all ranks make or none: their messages have the same size.
inline ncclResult_t need_packing(Channel& channel, size_t bytes) {
  Packing& packing = slice_streams().packings[channel.comm];
  if (bytes <= packing.bytes) return ncclSuccess;
  void* memory = nullptr;
  if (cudaDeviceSynchronize() != cudaSuccess) return ncclUnhandledCudaError;
  ncclResult_t result = ncclMemAlloc(&memory, window_bytes(bytes));
  if (result == ncclSuccess) result = add_window(channel, (char*)memory, window_bytes(bytes));
  packing = {(char*)memory, (int)channel.windows.size() - 1, bytes};
  channel.own_memory.push_back(memory);
  return result;
}

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

// What a part is laid out like: pieces of rows in the program's buffers, without gaps in the window.
struct Layout {
  size_t rows, width, pitch;
  cudaError_t pack(char* to, const char* from, cudaStream_t stream) const {
    return cudaMemcpy2DAsync(to, width, from, pitch, width, rows, cudaMemcpyDeviceToDevice, stream);
  }
  cudaError_t unpack(char* to, const char* from, cudaStream_t stream) const {
    return cudaMemcpy2DAsync(to, pitch, from, width, width, rows, cudaMemcpyDeviceToDevice, stream);
  }
  cudaError_t copy(char* to, const char* from, cudaStream_t stream) const {
    return cudaMemcpy2DAsync(to, pitch, from, pitch, width, rows, cudaMemcpyDeviceToDevice, stream);
  }
};

// Messages from one place are put together once.
inline cudaError_t run_packed(const Pending& call, Channel& channel, int part) {
  const SliceStreams& slices = slice_streams();
  const Packing& packing = slices.packings.at(call.comm);
  size_t message_bytes = call.work.sends[0].bytes, pitch = call.way.parts.piece_bytes * slices.units;
  size_t column = slices.cuts[part] * call.way.parts.piece_bytes, region = 0;
  PartBytes bytes = bytes_of_part(call.way.parts, true, part, message_bytes);
  Layout layout = {message_bytes / pitch, (bytes.end - bytes.begin) / (message_bytes / pitch), pitch};
  bool is_empty = layout.width == 0;
  std::map<const char*, size_t> regions;  // By source.
  Piece piece;
  cudaError_t result = cudaSuccess;
  auto staged = [&](Message message, size_t begin) {
    message.window = (int16_t)packing.window;
    message.offset = begin;
    return part_of(message, part, bytes);
  };
  for (const Message& send : call.work.sends) {
    const char* from = channel.windows[send.window].base + send.offset;
    auto place = regions.insert({from, region});
    piece.sends.push_back(staged(send, place.first->second));
    if (place.second) region += message_bytes;
    if (place.second && !is_empty && result == cudaSuccess)
      result = layout.pack(packing.base + piece.sends.back().offset, from + column, slices.parts);
  }
  for (const Copy& copy : call.work.copies)
    if (!is_empty && result == cudaSuccess)
      result = layout.copy(copy.to + column, copy.from + column, slices.parts);
  size_t first_receive = region;
  for (const Message& one : call.work.receives) {
    piece.receives.push_back(staged(one, region));
    region += message_bytes;
  }
  if (result == cudaSuccess) result = run(piece, call.way.kernel, call.way.blocks, channel, slices.parts, threads_of(call.way));
  for (size_t i = 0; i < call.work.receives.size() && !is_empty && result == cudaSuccess; i++) {
    const Message& one = call.work.receives[i];
    const char* from = packing.base + first_receive + i * message_bytes + bytes.begin;
    result = layout.unpack(channel.windows[one.window].base + one.offset + column, from, slices.parts);
  }
  return result;
}

// Part k waits for slice k alone, and the stream of the call for all parts.
inline ncclResult_t submit_parts(Pending& call) {
  open_slices();
  SliceStreams& slices = slice_streams();
  Channel& channel = channel_of(call.comm);
  bool is_cut = slices.count == call.way.parts.count && slices.home == call.stream, packed = is_packed(call, is_cut);
  if (packed) {
    ncclResult_t fits = need_packing(channel, 2 * channel.ranks * call.work.sends[0].bytes);
    if (fits != ncclSuccess) return fits;
  }
  is_cut = is_cut && (packed || call.way.parts.piece_bytes == 0);
  if (!is_cut) {
    cudaEventRecord(slices.begun, call.stream);
    cudaStreamWaitEvent(slices.parts, slices.begun, 0);
  }
  CUCO_LAND;
  cudaError_t result = cudaSuccess;
  for (int part = 0; part < call.way.parts.count && result == cudaSuccess; part++) {
    if (is_cut) cudaStreamWaitEvent(slices.parts, slices.done[part], 0);
    result = packed ? run_packed(call, channel, part) : run_contiguous(call, channel, is_cut, part);
  }
  cudaEventRecord(slices.exchanged, slices.parts);
  slices.count = 0;
  CUCO_PASSED;
  join(call.stream, slices.exchanged);
  return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
