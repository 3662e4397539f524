
// Whether the launch before was cut for this call; makes room for packed messages, or waits for the stream of the call.
inline ncclResult_t prepare_parts(const Pending& call, Channel& channel, bool& is_cut, bool& packed) {
  SliceStreams& slices = slice_streams();
  is_cut = slices.count == call.way.parts.count && slices.home == call.stream;
  for (const std::vector<Message>* messages : {&call.work.sends, &call.work.receives})
    for (const Message& one : *messages) is_cut = is_cut && are_cut(one.bytes);
  packed = is_packed(call, is_cut);
  is_cut = is_cut && (packed || call.way.parts.piece_bytes == 0);
  if (packed) return need_packing(channel, 2 * channel.ranks * call.work.sends[0].bytes);
  if (is_cut) return ncclSuccess;
  cudaEventRecord(slices.begun, call.stream);
  cudaStreamWaitEvent(slices.parts, slices.begun, 0);
  return ncclSuccess;
}

// Part k waits for slice k alone, and the stream of the call for all parts.
inline ncclResult_t submit_parts(Pending& call) {
  open_slices();
  SliceStreams& slices = slice_streams();
  Channel& channel = channel_of(call.comm);
  bool is_cut = false, packed = false;
  ncclResult_t prepared = prepare_parts(call, channel, is_cut, packed);
  if (prepared != ncclSuccess) return prepared;
  CUCO_LAND;
  cudaError_t result = cudaSuccess;
  for (int part = 0; part < call.way.parts.count && result == cudaSuccess; part++) {
    result = packed ? run_packed(call, channel, part) : run_contiguous(call, channel, is_cut, part);
  }
  Piece flush = {kFlushes, {}, {}, {}};
  if (call.way.reach != Reach::Lsa && result == cudaSuccess)
    result = run(flush, call.way.kernel, 1, threads_of(Issue::Warp), channel, slices.arrivals);
  join_parts(call.stream, is_cut ? call.way.parts.count : 0);
  CUCO_PASSED;
  return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
