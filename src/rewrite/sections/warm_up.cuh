
// A message of no bytes to and from every peer: what is connected at first use is so before anything is timed.
template <typename Path>
__global__ void greet(Endpoint here, Exchange work) {
  exchange<Path>(here, work);
}
inline cudaError_t greet_all(Channel& channel, Reach reach, void (*kernel)(Endpoint, Exchange)) {
  Exchange work = {};
  std::vector<Message> more_sends, more_receives;
  for (int step = 1; step < channel.ranks; step++) {
    int peer = (channel.rank + step) % channel.ranks;
    bool far = over_network(channel, reach, peer);
    add_item(work.sends, work.send_count, more_sends, {0, 0, channel.sent[far][peer]++, (int16_t)peer, 0});
    add_item(work.receives, work.receive_count, more_receives, {0, 0, channel.received[far][peer]++, (int16_t)peer, 0});
  }
  cudaError_t result = lift_items(work.sends, more_sends, nullptr);
  if (result == cudaSuccess) result = lift_items(work.receives, more_receives, nullptr);
  void* arguments[] = {&channel.endpoint, &work};
  if (result == cudaSuccess) result = cudaLaunchKernel((const void*)kernel, 1, kThreads, arguments, 0, nullptr);
  if (result == cudaSuccess) result = drop_items(work.sends, more_sends, nullptr);
  if (result == cudaSuccess) result = drop_items(work.receives, more_receives, nullptr);
  return result == cudaSuccess ? cudaStreamSynchronize(nullptr) : result;
}
inline ncclResult_t warm_up(ncclComm_t comm) {
  cudaError_t result = cudaSuccess;
  CUCO_GREETINGS;
  return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
