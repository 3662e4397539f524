#include "vcluster/runtime/checkers/initialised.h"

#include <algorithm>

#include "base/text.h"
#include "vcluster/runtime/api/nccl/objects.h"
#include "vcluster/runtime/checkers/bounds.h"
#include "vcluster/runtime/checkers/report.h"
#include "vcluster/runtime/checkers/shadow.h"

namespace cuco::vcluster {

namespace {

// A gap this small inside what is copied to the host is taken for the padding of a struct.
constexpr size_t kPaddingBytesMax = 7;

uintptr_t number_of(const void* address) { return reinterpret_cast<uintptr_t>(address); }

void report_read(const Access& access, uintptr_t bad) {
  report_once("unwritten_read", running_rank(), place_of(access.site),
              concat(describe_running(access.site), " reads ", describe_memory(bad, running_rank()),
                     ", which nothing has written"));
}

// The first byte of a gap too long to be padding, or 0.
uintptr_t first_gap(uintptr_t begin, size_t bytes) {
  uintptr_t at = shadow().first_without(ShadowBit::Written, begin, bytes);
  if (at == 0) return 0;
  WrittenFlags flags = shadow().written(begin, bytes);
  size_t run = 0;
  for (size_t i = 0; i < bytes; i++) {
    run = flags[i] ? 0 : run + 1;
    if (run > kPaddingBytesMax || run == bytes) return begin + i + 1 - run;
  }
  return 0;
}

size_t element_bytes(const CollectiveCall& call) { return call.count * nccl_size_of(call.type); }

// What is only moved may be padding; sums of it are of no use to anybody.
void warn_of_unwritten_terms(const void* source, size_t bytes, const std::string& what) {
  int rank = device_of(number_of(source));
  uintptr_t gap = rank < 0 ? 0 : first_gap(number_of(source), bytes);
  if (gap == 0) return;
  report_once("unwritten_read", rank, what,
              concat(what, " reduces ", describe_memory(gap, rank), ", which nothing has written"),
              model::Severity::Warning);
}

WrittenFlags flags_of(const std::vector<CollectiveCall>& calls, const model::ReceivedMessage& message) {
  size_t bytes = element_bytes(calls[0]);
  WrittenFlags flags(bytes, true);
  for (size_t rank : message.from) {
    const char* source = static_cast<const char*>(calls[rank].send) + message.message * bytes;
    std::string what = concat(model::callee_of(calls[rank].collective), calls[rank].place);
    check_library_range(source, bytes, what);
    if (model::is_reduction(calls[rank].collective)) warn_of_unwritten_terms(source, bytes, what);
    WrittenFlags own = take_written(source, bytes);
    flags.intersect(own);
  }
  return flags;
}

}  // namespace

void check_initialised(const Access& access, bool copies_object) {
  bool reads = access.kind != AccessKind::Write && access.kind != AccessKind::AtomicWrite;
  if (reads) {
    uintptr_t bad = shadow().first_without(ShadowBit::Written, access.address, access.bytes);
    if (bad == 0) return;
    if (copies_object) {
      WrittenFlags flags = shadow().written(access.address, access.bytes);
      if (flags.any()) return;
    }
    report_read(access, bad);
  }
  shadow().set_written(access.address, access.bytes);
}

void check_copy(const void* target, const void* source, size_t bytes, const std::string& what) {
  if (!world->options.check) return;
  check_library_range(source, bytes, what);
  check_library_range(target, bytes, what);
  if (device_of(number_of(target)) >= 0) return give_written(const_cast<void*>(target), take_written(source, bytes));
  uintptr_t gap = device_of(number_of(source)) >= 0 ? first_gap(number_of(source), bytes) : 0;
  if (gap == 0) return;
  int rank = device_of(number_of(source));
  report_once("unwritten_read", rank, what,
              concat(what, " brings ", describe_memory(gap, rank), " to the host, which nothing has written"));
}

void check_library_read(const void* source, size_t bytes, const std::string& what) {
  int rank = device_of(number_of(source));
  if (!world->options.check || rank < 0) return;
  uintptr_t bad = shadow().first_without(ShadowBit::Written, number_of(source), bytes);
  if (bad == 0) return;
  report_once("unwritten_read", rank, what,
              concat("rank ", rank, ": ", what, " reads ", describe_memory(bad, rank), ", which nothing has written"));
}

void note_write(const void* target, size_t bytes, const std::string& what) {
  if (!world->options.check || device_of(number_of(target)) < 0) return;
  check_library_range(target, bytes, what);
  shadow().set_written(number_of(target), bytes);
}

void note_write_of_unknown_size(const void* target) {
  int rank = device_of(number_of(target));
  if (!world->options.check || rank < 0) return;
  const Allocation* allocation = world->devices[static_cast<size_t>(rank)]->memory.find(number_of(target));
  if (allocation) shadow().set_written(number_of(target), allocation->bytes - (number_of(target) - allocation->begin));
}

void note_collective(const std::vector<CollectiveCall>& calls) {
  if (!world->options.check) return;
  std::vector<WrittenFlags> results(calls.size());
  int count = static_cast<int>(calls.size());
  for (size_t rank = 0; rank < calls.size(); rank++)
    for (const model::ReceivedMessage& message :
         model::messages_for(calls[0].collective, static_cast<int>(rank), calls[0].root, count)) {
      results[rank].append(flags_of(calls, message));
    }
  for (size_t rank = 0; rank < calls.size(); rank++) {
    check_library_range(calls[rank].receive, results[rank].size(),
                        concat(model::callee_of(calls[rank].collective), calls[rank].place));
    if (results[rank].size() > 0) give_written(calls[rank].receive, results[rank]);
  }
}

WrittenFlags take_written(const void* source, size_t bytes) {
  if (!world->options.check) return WrittenFlags();
  return shadow().written(number_of(source), bytes);
}

void give_written(void* target, const WrittenFlags& flags) {
  if (world->options.check && device_of(number_of(target)) >= 0) shadow().put_written(number_of(target), flags);
}

}  // namespace cuco::vcluster
