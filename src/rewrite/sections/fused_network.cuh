
// Runs are puts of their own, and the signal after them covers all.
template <Issue kIssue>
__device__ void put_runs(const GinBy<kIssue>& path, const Fusing& fusing, const Message& message, const Runs& runs,
                         uint64_t place) {
  // What other blocks wrote was seen by this one; the NIC has to see it too.
  __threadfence_system();
  for (size_t run = thread_in_block(); run < runs.count; run += block_threads()) {
    size_t begin = runs.begin + run * runs.stride;
    path.net.put(path.world, message.peer, window_of(fusing.here, place), offset_of(place) + begin,
                 fusing.here.windows[message.window], message.offset + begin, runs.bytes);
  }
}
template <Issue kIssue>
__device__ void send_part(const GinBy<kIssue>& path, const Fusing& fusing, const Message& message, int part) {
  __shared__ uint64_t place;
  Message one = part_of(message, part);
  if (thread_in_block() == 0) place = path.await_announcement(one);
  __syncthreads();
  Runs runs = runs_of(fusing, part, message.bytes);
  if (runs.bytes > 0) put_runs(path, fusing, message, runs, place);
  __syncthreads();
  if (thread_in_block() == 0)
    path.net.signal(path.world, message.peer,
                    CoveringSignalAdd{path.signal_of(fusing.here.comm.rank, one.number, 1), (uint64_t)kBlocks});
}
template <Issue kIssue>
__device__ void end_path(const GinBy<kIssue>& path) {
  path.net.flush(ncclCoopThread());
}
