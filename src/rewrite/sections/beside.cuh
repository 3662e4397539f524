
// Work of the program beside its other work. A launch whose uses are all told runs on a stream of its own, which waits
// for the work and exchanges that touch the same bytes and for nothing else of the stream that the program named.
constexpr size_t kBesideMax = 8;

inline std::vector<Mark>& streams_beside() {
  thread_local std::vector<Mark> all;
  return all;
}
// Those of launches in slices, by the number of the slice.
inline std::vector<Mark>& streams_of_slices() {
  thread_local std::vector<Mark> all;
  return all;
}

// The streams are used in turn. They take part in the order of the legacy stream, as the program's own may.
inline cudaStream_t beside(cudaStream_t home, const std::vector<Use>& uses) {
  thread_local size_t turn = 0;
  std::vector<Mark>& all = streams_beside();
  if (all.size() < kBesideMax) {
    all.push_back({});
    cudaStreamCreate(&all.back().stream);
  }
  CUCO_LAUNCH_SLICES;
  cudaStream_t stream = all[turn++ % all.size()].stream;
  prepare(stream, home, uses, nullptr, {});
  return stream;
}

// Other work on the same bytes, wherever it runs, comes first.
inline void wait_for_works(cudaStream_t stream, const std::vector<Use>& uses) {
  while (const Mark* mark = latest_work(stream, uses)) wait_for(*mark, stream);
}

// `stream` goes on after everything beside it.
inline void wait_for_streams_beside(cudaStream_t stream) {
  for (std::vector<Mark>* all : {&streams_beside(), &streams_of_slices()})
    for (Mark& one : *all) {
      record(one, one.stream);
      wait_for(one, stream);
    }
}

inline void close_streams_beside() {
  for (std::vector<Mark>* all : {&streams_beside(), &streams_of_slices()}) {
    for (const Mark& one : *all) {
      cudaStreamDestroy(one.stream);
      if (one.event != nullptr) cudaEventDestroy(one.event);
    }
    all->clear();
  }
}
