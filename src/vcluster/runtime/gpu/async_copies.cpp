#include "vcluster/runtime/gpu/async_copies.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "vcluster/runtime/checkers/access.h"
#include "vcluster/runtime/checkers/report.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/block.h"
#include "vcluster/runtime/gpu/device.h"

namespace cuco::vcluster {

bool checks_async_copies = false;

namespace {

struct End {
  uintptr_t end = 0;
  std::string who;    // The thread that began the copy.
  std::string place;  // Of the call.
};

// Bytes that pending copies are about, by their begin and the copy's number.
class PendingBytes {
 public:
  void add(const void* begin, size_t bytes, uint64_t number, const std::string& who, const std::string& place) {
    auto address = reinterpret_cast<uintptr_t>(begin);
    ends_[{address, number}] = {address + bytes, who, place};
    longest_ = std::max(longest_, bytes);
  }
  void remove(const void* begin, uint64_t number) { ends_.erase({reinterpret_cast<uintptr_t>(begin), number}); }
  bool empty() const { return ends_.empty(); }

  const End* find(uintptr_t address, size_t bytes) const {
    auto at = ends_.lower_bound({address + bytes, 0});
    while (at != ends_.begin()) {
      --at;
      if (at->first.first + longest_ <= address) return nullptr;
      if (at->second.end > address) return &at->second;
    }
    return nullptr;
  }

 private:
  std::map<std::pair<uintptr_t, uint64_t>, End> ends_;
  size_t longest_ = 0;
};

PendingBytes& targets() {
  static PendingBytes bytes;
  return bytes;
}
PendingBytes& sources() {
  static PendingBytes bytes;
  return bytes;
}

std::string place_of_begin() {
  if (cuco_call_site) return place_of(cuco_call_site);
  return current_thread->place ? current_thread->place : "";
}

void watch(const AsyncCopy& copy) {
  std::string who = describe_running_thread(), place = place_of_begin();
  targets().add(copy.request.target, copy.request.bytes, copy.number, who, place);
  if (copy.request.given > 0) sources().add(copy.request.source, copy.request.given, copy.number, who, place);
  checks_async_copies = true;
}

void unwatch(const AsyncCopy& copy) {
  targets().remove(copy.request.target, copy.number);
  sources().remove(copy.request.source, copy.number);
  checks_async_copies = !targets().empty();
}

bool is_due(const ThreadCopies& copies, const AsyncCopy& copy, size_t prior, const void* object) {
  if (object || copy.object) return copy.object == object;
  if (prior == ~size_t{0}) return true;
  return copy.group != 0 && copy.group + prior <= copies.groups;
}

void report(const Access& access, const End& copy, const char* does, const char* end) {
  std::string place = place_of(access.site);
  report_once("async_copy", running_rank(), place,
              concat(describe_running(), ": ", place, does, describe_memory(access.address, running_rank()), ", the ",
                     end, " of the asynchronous copy at ", copy.place, " by ", copy.who,
                     ", which has not been waited for (cp.async.wait_group, __pipeline_wait_prior, consumer_wait, "
                     "cooperative_groups::wait or the barrier it is bound to)"));
}

}  // namespace

void begin_async_copy(GpuThread& thread, const CopyRequest& request, const void* object) {
  static uint64_t number = 0;
  thread.copies.pending.push_back({request, object, 0, ++number});
  if (world->options.check) watch(thread.copies.pending.back());
}

void commit_async_copies(GpuThread& thread) {
  thread.copies.groups++;
  for (AsyncCopy& copy : thread.copies.pending)
    if (!copy.object && copy.group == 0) copy.group = thread.copies.groups;
}

bool take_async_copy(GpuThread& thread, size_t prior, const void* object, CopyRequest& out) {
  std::vector<AsyncCopy>& pending = thread.copies.pending;
  auto due =
      std::ranges::find_if(pending, [&](const AsyncCopy& copy) { return is_due(thread.copies, copy, prior, object); });
  if (due == pending.end()) return false;
  out = due->request;
  if (world->options.check) unwatch(*due);
  pending.erase(due);
  return true;
}

void drop_async_copies(GpuThread& thread) {
  if (world->options.check)
    for (const AsyncCopy& copy : thread.copies.pending) unwatch(copy);
  thread.copies = {};
}

bool check_async_copies(const Access& access) {
  bool writes = is_write(access.kind);
  if (const End* copy = targets().find(access.address, access.bytes)) {
    report(access, *copy, writes ? " writes " : " reads ", "target");
    return true;
  }
  const End* copy = writes ? sources().find(access.address, access.bytes) : nullptr;
  if (copy) report(access, *copy, " writes ", "source");
  return copy != nullptr;
}

}  // namespace cuco::vcluster
