#include <algorithm>
#include <set>

#include "base/text.h"
#include "model/blockers.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/source_scan.h"

namespace cuco::rewrite {

namespace {

struct StandIn {
  const char* call;
  const char* function;
};
constexpr StandIn kStandIns[] = {
    {"cudaMalloc", "allocate"}, {"cudaMallocAsync", "allocate"}, {"ncclMemAlloc", "nccl_allocate"},
    {"cudaFree", "release"},    {"cudaFreeAsync", "release"},    {"ncclMemFree", "nccl_release"},
};

void stand_in(Work& work, const Operation& operation) {
  auto found = std::ranges::find_if(kStandIns, [&](const StandIn& one) { return operation.callee == one.call; });
  auto call = work.call_text(operation);
  if (found == std::end(kStandIns) || !call)
    return work.obstacle(operation.range, "no rule replaces ", operation.callee, " written like this");
  work.edits.replace(operation.text.file, call->callee_begin, call->callee_end,
                     library_name(work, operation.text.file, found->function));
}

// A helper function that frees gets every buffer in turn, so the memory that is freed tells, not the call.
bool frees_one_of(const Work& work, Index operation, const std::set<Index>& buffers) {
  return std::ranges::any_of(buffers, [&](Index buffer) {
    const std::vector<Index>& frees = work.program().buffers[buffer].frees;
    return std::ranges::find(frees, operation) != frees.end();
  });
}

// All that the statements which allocate these buffers allocate: a helper function may allocate others too, and their
// memory is then like that of windows.
std::set<Index> allocated_with(const Work& work, const std::set<Index>& buffers) {
  const std::vector<model::Buffer>& all = work.program().buffers;
  std::set<Index> found = buffers;
  for (Index i = 0; i < all.size(); ++i)
    if (all[i].kind != model::BufferKind::External &&
        std::ranges::any_of(buffers, [&](Index buffer) { return all[buffer].allocation == all[i].allocation; }))
      found.insert(i);
  return found;
}

// Only the first iterations of a loop are followed: a free in one may be that of a buffer whose own was not seen.
bool may_free_unseen(const Work& work, const Operation& operation, const std::set<Index>& buffers) {
  return operation.loop != model::kNone &&
         std::ranges::any_of(buffers, [&](Index buffer) { return work.program().buffers[buffer].frees.empty(); });
}

}  // namespace

bool is_staged(const Work& work, Index site) { return !work.site(site).staging.empty(); }

std::set<Index> window_buffers(const Work& work) {
  std::set<Index> buffers;
  for (Index site : work.sites)
    for (Index buffer : model::site_buffers(work.program(), work.site(site)))
      if (buffer != model::kNone && !is_staged(work, site)) buffers.insert(buffer);
  return buffers;
}

bool allocates_one_of(const Work& work, const Operation& operation, const std::set<Index>& buffers) {
  if (operation.kind != OperationKind::Allocate) return false;
  return std::ranges::any_of(buffers, [&](Index buffer) {
    return operation.buffer == buffer || operation.range == work.program().buffers[buffer].allocation;
  });
}

void allocate_windows(Work& work) {
  std::set<Index> buffers = window_buffers(work), taken = allocated_with(work, buffers);
  std::vector<std::string> names;
  for (Index buffer : buffers) names.push_back(concat("`", work.program().buffers[buffer].name, "`"));
  for (Index i = 0; i < work.program().operations.size(); ++i) {
    const Operation& operation = work.operation(i);
    bool allocation = allocates_one_of(work, operation, buffers);
    bool free = operation.kind == OperationKind::Free &&
                (frees_one_of(work, i, taken) || may_free_unseen(work, operation, taken));
    if (allocation || free) stand_in(work, operation);
  }
  for (Index site : work.sites)
    if (is_staged(work, site))
      work.note(work.site(site).name, " goes through staging memory: ", work.site(site).staging.front());
  if (names.empty()) return;
  work.note(join(names, ", "), buffers.size() == 1 ? " is a window" : " are windows",
            " from ncclMemAlloc, registered with the communicator");
}

}  // namespace cuco::rewrite
