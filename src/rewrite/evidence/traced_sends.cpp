#include "rewrite/evidence/traced_sends.h"

namespace cuco::rewrite {

std::optional<Sent> sent_by(const TracedCall& call) {
  size_t messages = model::messages_sent(call.collective, call.rank, call.peer, call.rank_count);
  if (!call.send.used || messages == 0) return std::nullopt;
  Sent sent{call.send.buffer, {}, call.bytes};
  for (size_t i = 0; i < messages; i++) sent.offsets.push_back(call.send.offset + i * call.bytes);
  return sent;
}

}  // namespace cuco::rewrite
