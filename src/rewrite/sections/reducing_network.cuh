
// Over the network: the elements of a part are put into the staging window of who reduces them, results where they are
// wanted. Staged elements lie as in the message, those of a rank behind those of the one before.
template <Issue kIssue>
__device__ void open_to(const GinBy<kIssue>& path, const Reducing& all, const Peer& peer) {
  uint64_t staging = all.work.staging + peer.rank * all.staged * all.element_bytes;
  for (int part = 0; part < all.parts; part++) {
    if (is_reducer(all, all.work.rank)) path.announce(message_with(peer, peer.received + part, staging));
    if (all.work.root == kEveryoneAll)
      path.announce(message_with(peer, peer.received + all.parts + part, all.work.output));
  }
}

// Puts the elements of a run and raises the signal of the message behind them. The peer's memory begins `before`
// elements behind the message.
template <Issue kIssue>
__device__ void put_run(const GinBy<kIssue>& path, const Reducing& all, const PartElements& part, Part run,
                        const Message& message, uint64_t from, size_t before) {
  uint64_t to = path.await_announcement(message);
  const size_t bytes = all.element_bytes;
  __threadfence_system();
  for (size_t i = run.begin, end; i < run.end; i = end) {
    end = part.rows.width == 0 ? run.end : (i / part.rows.width + 1) * part.rows.width;
    if (end > run.end) end = run.end;
    size_t at = part.first + place_in_rows(part.rows, i);
    path.net.put(path.world, message.peer, window_of(all.here, to), offset_of(to) + (at - before) * bytes,
                 window_of(all.here, from), offset_of(from) + at * bytes, (end - i) * bytes);
  }
  path.net.signal(path.world, message.peer,
                  CoveringSignalAdd{path.signal_of(all.here.comm.rank, message.number, 1), (uint64_t)kBlocks});
}
__device__ inline size_t first_kept_by(const Reducing& all, int rank) {
  return all.work.root == kEveryoneSlice ? rank * all.work.slice : 0;
}

template <Issue kIssue>
__device__ void offer(const GinBy<kIssue>& path, const Reducing& all, const Peer& peer, int part) {
  PartElements elements = elements_of(all, part);
  put_run(path, all, elements, run_of(all, elements, peer.rank), message_with(peer, peer.sent + part), all.work.input,
          first_kept_by(all, peer.rank));
}
template <Issue kIssue>
__device__ bool has_come(const GinBy<kIssue>& path, const Reducing&, const Peer& peer, int part) {
  uint32_t number = peer.received + part;
  return path.net.readSignal(path.signal_of(peer.rank, number, 1)) >= full_count(number);
}
template <Issue kIssue>
__device__ char* elements_from(const GinBy<kIssue>& path, const Reducing& all, const Peer& peer, int part) {
  path.await(message_with(peer, peer.received + part));
  return local_pointer(all.here, all.work.staging) +
         (peer.rank * all.staged - first_kept_by(all, all.work.rank)) * all.element_bytes;
}
// Results are put together here and sent part by part.
template <Issue kIssue>
__device__ char* results_for(const GinBy<kIssue>&, const Reducing& all, const Peer&) {
  return local_pointer(all.here, all.work.output);
}
template <Issue kIssue>
__device__ void give_back(const GinBy<kIssue>& path, const Reducing& all, const Peer& peer, int part) {
  if (all.work.root != kEveryoneAll) return;
  PartElements elements = elements_of(all, part);
  put_run(path, all, elements, run_of(all, elements, all.work.rank), message_with(peer, peer.sent + all.parts + part),
          all.work.output, 0);
}
template <Issue kIssue>
__device__ void close_to(const GinBy<kIssue>&, const Reducing&, const Peer&) {}
template <Issue kIssue>
__device__ void await_part(const GinBy<kIssue>& path, const Reducing& all, const Peer& peer, int part) {
  if (all.work.root == kEveryoneAll) path.await(message_with(peer, peer.received + all.parts + part));
}
template <Issue kIssue>
__device__ void close_path(const GinBy<kIssue>& path) {
  path.net.flush(ncclCoopThread());
}
