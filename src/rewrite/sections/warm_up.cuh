
// A message of no bytes to and from every peer: what is connected at first use is so before anything is timed.
template <typename Path>
__global__ void greet(Endpoint here, Exchange work) {
  exchange<Path>(here, work);
}
inline cudaError_t greet_all(Channel& channel, Reach reach, ExchangeKernel kernel) {
  Piece work;
  for (int step = 1; step < channel.ranks; step++) {
    int peer = (channel.rank + step) % channel.ranks;
    bool far = over_network(channel, reach, peer);
    work.sends.push_back({0, 0, channel.sent[far][peer]++, (int16_t)peer, 0});
    work.receives.push_back({0, 0, channel.received[far][peer]++, (int16_t)peer, 0});
  }
  cudaError_t result = run(work, kernel, 1, kThreads, channel, nullptr);
  return result == cudaSuccess ? cudaStreamSynchronize(nullptr) : result;
}
inline ncclResult_t warm_up(ncclComm_t comm) {
  cudaError_t result = cudaSuccess;
  CUCO_GREETINGS;
  return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
