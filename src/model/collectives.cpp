#include "model/collectives.h"

#include <algorithm>
#include <numeric>

#include "base/assert.h"

namespace cuco::model {

namespace {

bool includes(Ranks ranks, int rank, int root) { return ranks == Ranks::All || (ranks == Ranks::Root && rank == root); }

std::vector<size_t> all_ranks(int count) {
  std::vector<size_t> ranks(static_cast<size_t>(count));
  std::iota(ranks.begin(), ranks.end(), size_t{0});
  return ranks;
}

}  // namespace

const std::vector<CollectiveTraits>& all_collectives() {
  constexpr Ranks kNobody = Ranks::None, kAll = Ranks::All, kRoot = Ranks::Root;
  using enum Pattern;
  static const std::vector<CollectiveTraits> rows = {
      //                                                                    senders  receivers  to each  from each
      //                                                                    reduces
      {Collective::AllGather, "ncclAllGather", "all_gather", kAll, kAll, false, true, false, Ring},
      {Collective::AllReduce, "ncclAllReduce", "all_reduce", kAll, kAll, false, false, true, RingOrTree},
      {Collective::ReduceScatter, "ncclReduceScatter", "reduce_scatter", kAll, kAll, true, false, true, Ring},
      {Collective::Broadcast, "ncclBroadcast", "broadcast", kRoot, kAll, false, false, false, RingOrTree},
      {Collective::Reduce, "ncclReduce", "reduce", kAll, kRoot, false, false, true, RingOrTree},
      {Collective::AlltoAll, "ncclAlltoAll", "all_to_all", kAll, kAll, true, true, false, Pairs},
      {Collective::Gather, "ncclGather", "gather", kAll, kRoot, false, true, false, Pairs},
      {Collective::Scatter, "ncclScatter", "scatter", kRoot, kAll, true, false, false, Pairs},
      {Collective::Send, "ncclSend", "send", kAll, kNobody, false, false, false, Pairs},
      {Collective::Recv, "ncclRecv", "recv", kNobody, kAll, false, false, false, Pairs},
  };
  return rows;
}

const CollectiveTraits& traits_of(Collective collective) {
  const CollectiveTraits& row = all_collectives().at(static_cast<size_t>(collective));
  CUCO_ASSERT(row.collective == collective);
  return row;
}

std::optional<Collective> collective_named(std::string_view callee) {
  if (callee == "ncclBcast") return Collective::Broadcast;
  for (const CollectiveTraits& row : all_collectives())
    if (row.callee == callee) return row.collective;
  return std::nullopt;
}

std::string_view name_of(Collective collective) { return traits_of(collective).name; }
std::string_view callee_of(Collective collective) { return traits_of(collective).callee; }
bool is_reduction(Collective collective) { return traits_of(collective).reduces; }
bool is_transfer(Collective collective) { return collective == Collective::Send || collective == Collective::Recv; }

size_t messages_sent(Collective collective, int rank, int root, int rank_count) {
  const CollectiveTraits& traits = traits_of(collective);
  if (!includes(traits.senders, rank, root)) return 0;
  return traits.sends_to_each ? static_cast<size_t>(rank_count) : 1;
}

size_t messages_received(Collective collective, int rank, int root, int rank_count) {
  const CollectiveTraits& traits = traits_of(collective);
  if (!includes(traits.receivers, rank, root)) return 0;
  return traits.receives_from_each ? static_cast<size_t>(rank_count) : 1;
}

bool hears(Collective collective, int rank, int from, int root) {
  const CollectiveTraits& traits = traits_of(collective);
  return includes(traits.receivers, rank, root) && includes(traits.senders, from, root);
}

std::vector<ReceivedMessage> messages_for(Collective collective, int rank, int root, int rank_count) {
  const CollectiveTraits& traits = traits_of(collective);
  if (!includes(traits.receivers, rank, root)) return {};
  size_t message = traits.sends_to_each ? static_cast<size_t>(rank) : 0;
  if (traits.reduces) return {{all_ranks(rank_count), message}};
  if (!traits.receives_from_each) return {{{static_cast<size_t>(std::max(root, 0))}, message}};
  std::vector<ReceivedMessage> all;
  for (size_t from : all_ranks(rank_count)) all.push_back({{from}, message});
  return all;
}

}  // namespace cuco::model
