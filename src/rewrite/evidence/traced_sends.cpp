#include "rewrite/evidence/traced_sends.h"

namespace cuco::rewrite {

std::optional<Sent> sent_by(const model::TracedCall& call) {
  size_t messages = model::messages_sent(call.collective, call.rank, call.peer, call.rank_count);
  if (!call.send.used || messages == 0) return std::nullopt;
  Sent sent{call.send.buffer, {}, call.bytes};
  for (size_t i = 0; i < messages; i++) sent.offsets.push_back(call.send.offset + i * call.bytes);
  return sent;
}

void split_run(uint64_t& bytes, uint64_t& stride, uint64_t& count, uint64_t piece_bytes) {
  if (count != 1 || piece_bytes == 0 || bytes % piece_bytes != 0) return;
  count = bytes / piece_bytes;
  bytes = stride = piece_bytes;
}

}  // namespace cuco::rewrite
