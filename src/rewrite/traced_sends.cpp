#include "rewrite/traced_sends.h"

namespace cuco::rewrite {

namespace {

bool has_message_for_each(const std::string& name) { return name == "ncclAlltoAll" || name == "ncclReduceScatter"; }

}  // namespace

std::optional<Sent> sent_by(const model::TracedCall& call) {
  bool only_root = call.name == "ncclBroadcast" || call.name == "ncclScatter";
  if (!call.send.used || call.name == "ncclRecv" || (only_root && call.rank != call.peer)) return std::nullopt;
  Sent sent{call.send.buffer, {}, call.bytes};
  bool each = has_message_for_each(call.name) || call.name == "ncclScatter";
  for (int peer = 0; peer < (each ? call.rank_count : 1); peer++)
    sent.offsets.push_back(call.send.offset + static_cast<uint64_t>(peer) * call.bytes);
  return sent;
}

void split_run(uint64_t& bytes, uint64_t& stride, uint64_t& count, uint64_t piece_bytes) {
  if (count != 1 || piece_bytes == 0 || bytes % piece_bytes != 0) return;
  count = bytes / piece_bytes;
  bytes = stride = piece_bytes;
}

}  // namespace cuco::rewrite
