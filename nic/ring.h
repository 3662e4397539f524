// A ring of messages from one process to another. One process writes, under a lock of its own threads; one thread
// reads. Messages are carried out in any order: every entry says by itself whether it is done, and an entry is written
// again only after that.
#pragma once

#include <optional>

#include "nic/segment.h"

namespace cuco::nic {

struct Posted {
  Entry* entry;
  uint64_t sequence;
};

// Empty when the ring is full: at most `depth` messages are on their way.
std::optional<Posted> post_message(Ring& ring, const Message& message, uint64_t depth = kRingEntries);

std::optional<Posted> take_message(Ring& ring);

void finish_message(const Posted& posted, bool failed);
bool is_finished(const Posted& posted);
bool has_failed(const Posted& posted);

// For a process that takes over the place of one that is gone: messages nobody will read count as done.
void skip_unread(Ring& ring);
void skip_unwritten(Ring& ring);

}  // namespace cuco::nic
