#include "vcluster/runtime/checkers/fences.h"

#include "vcluster/runtime/checkers/actors.h"

namespace cuco::vcluster {

void ThreadClock::fence(AccessScope scope) {
  known = joined(known, seen_block);
  if (scope >= AccessScope::Device) known = joined(known, seen_device);
  if (scope >= AccessScope::System) known = joined(known, seen_system);
  fenced_block = known;
  if (scope >= AccessScope::Device) fenced_device = known;
  if (scope >= AccessScope::System) fenced_system = known;
}

void ThreadClock::release_into(Released& flag) const {
  flag.block = joined(flag.block, fenced_block);
  flag.device = joined(flag.device, fenced_device);
  flag.system = joined(flag.system, fenced_system);
}

void ThreadClock::see(const Released& flag, bool same_device, bool same_block) {
  if (same_block) {
    seen_block = joined(seen_block, flag.block);
  } else if (same_device) {
    seen_device = joined(seen_device, flag.device);
  } else {
    seen_system = joined(seen_system, flag.system);
  }
  // Operations that are over have left their results in memory: seeing that is enough to know it.
  known = joined(known, filtered(flag.system, is_stream));
}

void ThreadClock::join(const ThreadClock& other) {
  for (Part part : kParts) this->*part = joined(this->*part, other.*part);
}

const std::array<ThreadClock::Part, 3> ThreadClock::kFenced = {&ThreadClock::fenced_block, &ThreadClock::fenced_device,
                                                               &ThreadClock::fenced_system};
const std::array<ThreadClock::Part, 7> ThreadClock::kParts = {
    &ThreadClock::known,      &ThreadClock::fenced_block, &ThreadClock::fenced_device, &ThreadClock::fenced_system,
    &ThreadClock::seen_block, &ThreadClock::seen_device,  &ThreadClock::seen_system};

}  // namespace cuco::vcluster
