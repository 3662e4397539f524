#include "nic/delivery.h"

#include <algorithm>

namespace cuco::nic {

Move next_piece(const Delivery& delivery, uint64_t piece_bytes_max) {
  Move move;
  const uint64_t done = delivery.issued_bytes;
  move.bytes = std::min(piece_bytes_max, delivery.message.bytes - done);
  move.to = delivery.to + done;
  move.to_host = delivery.to_host;
  move.from_host = delivery.from_host;
  move.from = delivery.source ? delivery.source + done : nullptr;
  move.word = delivery.message.inline_word;
  return move;
}

int64_t piece_due_ns(const Delivery& delivery, const Link& link, uint64_t piece_bytes) {
  const uint64_t later_bytes = delivery.message.bytes - delivery.issued_bytes - piece_bytes;
  return delivery.message.data_due_ns - serialisation_ns(link, later_bytes);
}

}  // namespace cuco::nic
