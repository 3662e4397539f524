
// An exchange in parts. Both sides make as many messages as there are parts; the receiver announces the place of the
// whole message for each, and the sender alone decides which bytes go with which part. Where the launch before was not
// cut, the last part is everything.
inline Share share_of(const Parts& parts, bool is_cut, int part) {
  const SliceStreams& slices = slice_streams();
  bool is_last = part + 1 == parts.count;
  if (!is_cut) return {is_last ? 0u : 1u, 1, 1, 0, is_last};
  return {slices.cuts[part], slices.cuts[part + 1], slices.units, parts.piece_bytes, is_last};
}

// Part k waits for slice k alone, and the stream of the call for all parts.
inline ncclResult_t submit_parts(Pending& call) {
  open_slices();
  SliceStreams& slices = slice_streams();
  bool is_cut = slices.count == call.way.parts.count && slices.home == call.stream;
  if (!is_cut) {
    cudaEventRecord(slices.begun, call.stream);
    cudaStreamWaitEvent(slices.parts, slices.begun, 0);
  }
  CUCO_LAND;
  for (int part = 0; part < call.way.parts.count; part++) {
    if (is_cut) cudaStreamWaitEvent(slices.parts, slices.done[part], 0);
    call.work.share = share_of(call.way.parts, is_cut, part);
    call.work.part = part;
    void* arguments[] = {&channel_of(call.comm).endpoint, &call.work};
    cudaError_t launched =
        cudaLaunchKernel((const void*)call.way.kernel, call.way.blocks, kThreads, arguments, 0, slices.parts);
    if (launched != cudaSuccess) return ncclUnhandledCudaError;
  }
  cudaEventRecord(slices.exchanged, slices.parts);
  slices.count = 0;
  CUCO_PASSED;
  join(call.stream, slices.exchanged);
  return ncclSuccess;
}
