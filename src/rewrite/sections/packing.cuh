
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
