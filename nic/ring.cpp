#include "nic/ring.h"

#include <algorithm>

namespace cuco::nic {
namespace {

Entry& entry_of(Ring& ring, uint64_t sequence) { return ring.entries[sequence % kRingEntries]; }

}  // namespace

std::optional<Posted> post_message(Ring& ring, const Message& message, uint64_t depth) {
  const uint64_t sequence = ring.written.load(std::memory_order_relaxed);
  if (sequence >= depth && !is_finished({&entry_of(ring, sequence - depth), sequence - depth})) return std::nullopt;
  Entry& entry = entry_of(ring, sequence);
  entry.message = message;
  entry.ready.store(sequence + 1, std::memory_order_release);
  ring.written.store(sequence + 1, std::memory_order_release);
  return Posted{&entry, sequence};
}

std::optional<Posted> take_message(Ring& ring) {
  const uint64_t sequence = ring.read.load(std::memory_order_relaxed);
  Entry& entry = entry_of(ring, sequence);
  if (entry.ready.load(std::memory_order_acquire) != sequence + 1) return std::nullopt;
  ring.read.store(sequence + 1, std::memory_order_relaxed);
  return Posted{&entry, sequence};
}

void finish_message(const Posted& posted, bool failed) {
  if (failed) posted.entry->failed.store(posted.sequence + 1, std::memory_order_relaxed);
  posted.entry->done.store(posted.sequence + 1, std::memory_order_release);
}

bool is_finished(const Posted& posted) {
  return posted.entry->done.load(std::memory_order_acquire) >= posted.sequence + 1;
}

bool has_failed(const Posted& posted) {
  return posted.entry->failed.load(std::memory_order_relaxed) == posted.sequence + 1;
}

void skip_unread(Ring& ring) {
  while (const std::optional<Posted> posted = take_message(ring)) finish_message(*posted, true);
}

void skip_unwritten(Ring& ring) {
  // A writer that died between its last two stores has left an entry that is ready but not counted.
  ring.written.store(std::max(ring.written.load(), ring.read.load()), std::memory_order_relaxed);
}

}  // namespace cuco::nic
