// Reductions beside the program's work.
#pragma once

#include <cuco/comm/overlap.cuh>
#include <cuco/comm/reduce.cuh>

namespace cuco::comm {

// Numbers of the messages that a reduction gets from a peer.
inline std::vector<Receipt> receipts_of(const ReduceCall& call, const Channel& channel) {
  std::vector<Receipt> receipts;
  for (const Peer& peer : call.peers) {
    bool network = over_network(channel, call.route.via, peer.rank);
    for (uint32_t sequence = peer.received; sequence < channel.received[network][peer.rank]; sequence++)
      receipts.push_back({network, peer.rank, sequence});
  }
  return receipts;
}

// All reductions of a communicator share its staging memory, so each waits for the one before.
struct OverlapReduceRoute {
  static ncclResult_t submit(ReduceCall& call) {
    ncclResult_t prepared = prepare_reduction(call);
    if (prepared != ncclSuccess) return prepared;
    launch_kept();
    Channel& channel = channel_of(call.comm);
    int index = call.route.stream;
    cudaStream_t stream = index == kCallersStream ? call.stream : overlap().streams.at(call.comm)[index].out;
    const OwnWindow& staging = channel.staging;
    const char *input = (const char*)call.input, *output = (const char*)call.output;
    Transfer transfer = {call.comm,
                         call.stream,
                         stream,
                         {{input, input + call.input_bytes, false},
                          {output, output + call.output_bytes, true},
                          {staging.base, staging.base + staging.bytes, true}},
                         receipts_of(call, channel)};
    make_room();
    prepare(stream, call.stream, transfer.uses, call.comm, transfer.receipts);
    cudaError_t result = run(call, threads_for(call, kThreads), stream);
    transfer.done = take_event();
    cudaEventRecord(transfer.done, stream);
    add_transfer(std::move(transfer));
    return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
  }
};

}  // namespace cuco::comm
