#include "nic/time_union.h"

#include <algorithm>

namespace cuco::nic {
namespace {

constexpr size_t kRemembered = 512;

}  // namespace

int64_t TimeUnion::add(int64_t begin_ns, int64_t end_ns) {
  if (begin_ns >= end_ns) return 0;
  int64_t covered_before = 0;
  while (!recent_.empty() && recent_.back().end_ns >= begin_ns) {
    const Stretch last = recent_.back();
    covered_before += last.end_ns - last.begin_ns;
    begin_ns = std::min(begin_ns, last.begin_ns);
    end_ns = std::max(end_ns, last.end_ns);
    recent_.pop_back();
  }
  recent_.push_back({begin_ns, end_ns});
  if (recent_.size() > kRemembered) recent_.pop_front();
  return end_ns - begin_ns - covered_before;
}

}  // namespace cuco::nic
