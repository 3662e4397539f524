
// The elements of a part: pieces of rows, of which every rank that reduces has a run.
struct PartElements {
  size_t first;  // In the message, and so in each row.
  Rows rows;
  size_t count, slice;  // Of all runs, and of one at most.
};
__device__ inline PartElements elements_of(const Reducing& all, int part) {
  const uint32_t width = (all.cuts[part + 1] - all.cuts[part]) * all.piece;
  const size_t count = all.rows * width, ranks = all.work.ranks;
  size_t slice = count;
  if (all.work.root == kEveryoneSlice) slice = count / ranks;
  if (all.work.root == kEveryoneAll) slice = ((count + ranks - 1) / ranks + 15) / 16 * 16;
  return {(size_t)all.cuts[part] * all.piece, {all.rows > 1 ? width : 0, all.pitch}, count, slice};
}
__device__ inline bool is_reducer(const Reducing& all, int rank) { return all.work.root < 0 || rank == all.work.root; }
__device__ inline Part run_of(const Reducing& all, const PartElements& part, int rank) {
  if (all.work.root >= 0) return {0, rank == all.work.root ? part.count : 0};
  size_t begin = part.slice * rank, end = begin + part.slice;
  return {begin < part.count ? begin : part.count, end < part.count ? end : part.count};
}

__device__ inline Message message_with(const Peer& peer, uint32_t number, uint64_t place = 0) {
  return message_of(place, {0, 0}, 1, peer.rank, number);
}
