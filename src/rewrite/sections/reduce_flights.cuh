
// Numbers of the messages that a reduction gets from a peer.
inline std::vector<Receipt> receipts_of(const ReduceCall& call, const Channel& channel) {
  std::vector<Receipt> receipts;
  for (int i = 0; i < call.work.peer_count; i++) {
    const Peer& peer = call.work.peers[i];
    bool network = over_network(channel, call.way.reach, peer.rank);
    for (uint32_t number = peer.received; number < channel.received[network][peer.rank]; number++)
      receipts.push_back({network, peer.rank, number});
  }
  return receipts;
}

// All reductions of a communicator share its staging memory, so each waits for the one before.
inline ncclResult_t submit(ReduceCall& call) {
  CUCO_LAUNCH_SLICES;
  Channel& channel = channel_of(call.comm);
  int lane = call.way.course.lane;
  cudaStream_t stream = lane == kNoLane ? call.stream : lanes().streams.at(call.comm)[lane].out;
  const char *input = (const char*)call.input, *output = (const char*)call.output;
  const char* staging = channel.windows[channel.staging_window].base;
  Flight flight = {call.comm,
                   call.stream,
                   stream,
                   {{input, input + call.input_bytes, false},
                    {output, output + call.output_bytes, true},
                    {staging, staging + channel.staging_bytes, true}},
                   receipts_of(call, channel)};
  make_room();
  prepare(stream, call.stream, flight.uses, call.comm, flight.receipts);
  cudaError_t result = run(call, threads_for(call, kThreads), stream);
  flight.done = take_event();
  cudaEventRecord(flight.done, stream);
  add_flight(std::move(flight));
  return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
