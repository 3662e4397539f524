#include "vcluster/runtime/checkers/collective_races.h"

#include "vcluster/runtime/checkers/happens_before.h"

namespace cuco::vcluster {

void order_collective(const std::vector<CollectiveCall>& calls) {
  for (size_t rank = 0; rank < calls.size(); rank++) {
    const CollectiveCall& call = calls[rank];
    int self = static_cast<int>(rank), count = static_cast<int>(calls.size());
    size_t bytes = call.count * nccl_size_of(call.type);
    for (size_t from = 0; from < calls.size(); from++)
      if (model::hears(call.collective, self, static_cast<int>(from), call.root))
        races().bring(calls[from].race_id, call.race_id);
    races().access_by(call.race_id, call.send, model::messages_sent(call.collective, self, call.root, count) * bytes,
                      AccessKind::Read);
    races().access_by(call.race_id, call.receive,
                      model::messages_received(call.collective, self, call.root, count) * bytes, AccessKind::Write);
  }
}

void order_transfer(const CollectiveCall& send, const CollectiveCall& receive) {
  size_t bytes = send.count * nccl_size_of(send.type);
  races().bring(send.race_id, receive.race_id);
  races().access_by(send.race_id, send.send, bytes, AccessKind::Read);
  races().access_by(receive.race_id, receive.receive, bytes, AccessKind::Write);
}

}  // namespace cuco::vcluster
