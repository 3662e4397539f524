// Calls on memory that is no window: from code that cannot be seen, of the host, allocated between two calls, or by
// some ranks only. Bytes go through a staging window on both sides, in pieces of kStagedBytes, as many at a time as two
// ranks can have open.
#pragma once

#include <cuco/comm/collectives.cuh>

namespace cuco::comm {

// A block for each.
static __global__ void copy_staged(const Items<Copy> copies) {
  const Copy& own = copies[blockIdx.x];
  copy_bytes(own.to, own.from, own.bytes, blockDim.x);
}
inline cudaError_t run_copies(const std::vector<Copy>& copies, cudaStream_t stream) {
  if (copies.empty()) return cudaSuccess;
  Items<Copy> items = {};
  int count = 0;
  cudaError_t result = carry_items(copies, items, count, stream);
  if (result == cudaSuccess) copy_staged<<<count, kThreads, 0, stream>>>(items);
  if (result == cudaSuccess) result = cudaGetLastError();
  return result == cudaSuccess ? drop_items(items, count, stream) : result;
}

// Calls of one communicator use its staging memory in turn, on whichever stream they are.
class StagedTurn {
 public:
  StagedTurn(Channel& channel, cudaStream_t stream) : channel_(channel), stream_(stream), on_(channel.device) {
    cudaEvent_t& done = channel.staged_done;
    result = done == nullptr ? cudaEventCreateWithFlags(&done, cudaEventDisableTiming)
                             : cudaStreamWaitEvent(stream, done, 0);
  }
  ncclResult_t end() {
    if (result == cudaSuccess) result = cudaEventRecord(channel_.staged_done, stream_);
    return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
  }
  cudaError_t result;

 private:
  Channel& channel_;
  cudaStream_t stream_;
  OnDevice on_;
};

// A round of a call, with as many pieces as two ranks can have open.
struct StagedRoute {
  static ncclResult_t submit(Pending& call) {
    Channel& channel = channel_of(call.comm);
    const Piece& work = call.work;
    std::vector<Copy> in, out;
    for (size_t i = 0; i < work.sends.size(); i++)
      in.push_back({channel.staged.base + work.sends[i].offset, call.sources[i], work.sends[i].bytes});
    for (size_t i = 0; i < work.receives.size(); i++)
      out.push_back({call.targets[i], channel.staged.base + work.receives[i].offset, work.receives[i].bytes});
    StagedTurn turn(channel, call.stream);
    if (turn.result == cudaSuccess) turn.result = run_copies(in, call.stream);
    if (turn.result == cudaSuccess) turn.result = run(call, work, channel, call.stream);
    if (turn.result == cudaSuccess) turn.result = run_copies(out, call.stream);
    return turn.end();
  }
};

}  // namespace cuco::comm
