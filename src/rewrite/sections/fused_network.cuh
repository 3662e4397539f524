
template <Issue kIssue>
constexpr bool kNear<GinBy<kIssue>> = false;
template <Issue kIssue>
constexpr bool kFar<GinBy<kIssue>> = true;
template <Issue kIssue>
__device__ bool is_near(const GinBy<kIssue>&, const Message&) {
  return false;
}
template <Issue kIssue>
__device__ void add_target(const GinBy<kIssue>&, const Message&, int, Targets&) {}

// Runs are puts of their own, and the signal after them covers all. By one thread, which has seen what the blocks wrote;
// the NIC has to see it too.
template <Issue kIssue>
__device__ void send_part(const GinBy<kIssue>& path, const Fusing& fusing, const Message& message, int part) {
  Message one = part_of(message, part);
  uint64_t place = path.await_announcement(one);
  Runs runs = runs_of(fusing, part, message.bytes);
  __threadfence_system();
  for (size_t run = 0; run < runs.count && runs.bytes > 0; run++) {
    size_t begin = runs.begin + run * runs.stride;
    path.net.put(path.world, message.peer, window_of(fusing.here, place), offset_of(place) + begin,
                 fusing.here.windows[message.window], message.offset + begin, runs.bytes);
  }
  path.net.signal(path.world, message.peer,
                  CoveringSignalAdd{path.signal_of(fusing.here.comm.rank, one.number, 1), (uint64_t)kBlocks});
}
template <Issue kIssue>
__device__ void pass_on(const GinBy<kIssue>&, const Fusing&, bool) {}
template <Issue kIssue>
__device__ void end_path(const GinBy<kIssue>& path) {
  path.net.flush(ncclCoopThread());
}
