// One message on its way into this process's memory, from its posting to the moment bytes and signal are in place.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "nic/device.h"
#include "nic/ring.h"
#include "nic/segment.h"

namespace cuco::nic {

// A request whose end is decided in this process: a receive or a get.
struct LocalRequest {
  std::atomic<bool> finished{false};
  std::atomic<bool> failed{false};
  std::atomic<int> open_parts{1};  // The last part, and others that have come and are not in place.
  uint64_t bytes = 0;
};

struct Delivery {
  Message message;
  int from = -1;                          // Member that sent it, or that owns the memory a get reads.
  std::optional<Posted> posted;           // What to report to the sender; empty for a get.
  std::shared_ptr<LocalRequest> request;  // Empty for a put.

  // Resolved when the memory is known; a put may come before this process has registered its target.
  bool resolved = false;
  bool has_waited = false;  // For memory of this process that was not there when the message came.
  std::byte* to = nullptr;
  const std::byte* source = nullptr;
  bool to_host = false;
  bool from_host = false;
  uint64_t* signal = nullptr;
  bool signal_on_host = false;

  int64_t wake_ns = 0;  // Nothing is to be done before; keeps a round short while many messages wait for their time.
  int64_t issue_late_ns = 0;  // Of the last thing handed to the device.
  int64_t issued_ns = 0;      // When that was.
  uint64_t issued_bytes = 0;
  bool signal_issued = false;
  std::vector<Ticket> open;
};

inline bool has_signal(const Delivery& delivery) { return delivery.message.signal != 0; }
inline bool data_issued(const Delivery& delivery) { return delivery.issued_bytes == delivery.message.bytes; }

// The next bytes to copy. Large messages go in pieces at the times their bytes cross the wire, so that the copies load
// the GPU as evenly as a NIC would and the last one is short.
Move next_piece(const Delivery& delivery, uint64_t piece_bytes_max);
int64_t piece_due_ns(const Delivery& delivery, const Link& link, uint64_t piece_bytes);

// The receiver has offered the memory at this instant only: bytes cross the wire from then on at the earliest, and are
// not late for having waited.
void wait_for_memory(Delivery& delivery, const Link& link, int64_t offered_ns);

}  // namespace cuco::nic
