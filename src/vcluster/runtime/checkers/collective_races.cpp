#include "vcluster/runtime/checkers/collective_races.h"

#include "vcluster/runtime/checkers/happens_before.h"

namespace cuco::vcluster {

namespace {

struct Shape {
  size_t sent = 0, received = 0;  // In units of the call's count.
  bool hears_all = false;         // Otherwise of the root.
};

Shape shape_of(const CollectiveCall& call, int rank, size_t n) {
  bool is_root = rank == call.root;
  const std::string& name = call.name;
  if (name == "ncclAllReduce") return {1, 1, true};
  if (name == "ncclAllGather") return {1, n, true};
  if (name == "ncclReduceScatter") return {n, 1, true};
  if (name == "ncclAlltoAll") return {n, n, true};
  if (name == "ncclReduce") return {1, is_root ? size_t{1} : 0, is_root};
  if (name == "ncclGather") return {1, is_root ? n : 0, is_root};
  if (name == "ncclBroadcast") return {is_root ? size_t{1} : 0, 1, false};
  if (name == "ncclScatter") return {is_root ? n : 0, 1, false};
  return {};
}

bool hears_root(const CollectiveCall& call) { return call.name == "ncclBroadcast" || call.name == "ncclScatter"; }

}  // namespace

bool hears(const CollectiveCall& call, int rank, int from, size_t rank_count) {
  return shape_of(call, rank, rank_count).hears_all || (hears_root(call) && from == call.root);
}

void order_collective(const std::vector<CollectiveCall>& calls) {
  for (size_t rank = 0; rank < calls.size(); rank++) {
    const CollectiveCall& call = calls[rank];
    Shape shape = shape_of(call, static_cast<int>(rank), calls.size());
    size_t bytes = call.count * nccl_size_of(call.type);
    for (size_t from = 0; from < calls.size(); from++)
      if (hears(call, static_cast<int>(rank), static_cast<int>(from), calls.size()))
        races().bring(calls[from].race_id, call.race_id);
    races().access_by(call.race_id, call.send, shape.sent * bytes, AccessKind::Read);
    races().access_by(call.race_id, call.receive, shape.received * bytes, AccessKind::Write);
  }
}

void order_transfer(const CollectiveCall& send, const CollectiveCall& receive) {
  size_t bytes = send.count * nccl_size_of(send.type);
  races().bring(send.race_id, receive.race_id);
  races().access_by(send.race_id, send.send, bytes, AccessKind::Read);
  races().access_by(receive.race_id, receive.receive, bytes, AccessKind::Write);
}

}  // namespace cuco::vcluster
