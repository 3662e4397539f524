#include <algorithm>
#include <set>

#include "base/text.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/comm_text.h"
#include "rewrite/text/host_calls.h"
#include "rewrite/text/source_scan.h"

namespace cuco::rewrite {

namespace {

using model::Index;
using model::Operation;
using model::OperationKind;
using model::SourceRange;

// The argument that receives the communicator.
std::string made_communicator(const Operation& operation, const CallText& call) {
  size_t position = operation.callee == "ncclCommSplit" || operation.callee == "ncclCommShrink" ? 3 : 0;
  return position < call.arguments.size() ? call.arguments[position] : std::string();
}

void remember(Work& work, const Operation& operation) {
  auto call = read_call(work.text_of(operation.range), operation.range.begin_byte, operation.callee);
  std::string made = call ? made_communicator(operation, *call) : std::string();
  if (made.empty())
    return work.obstacle(operation.range, concat("no rule follows ", operation.callee, " written like this"));
  work.edits.insert(operation.range.file, call->callee_begin, "cuco::comm::created(");
  work.edits.insert(operation.range.file, call->close + 1, concat(", ", made, ")"));
}

void close_before(Work& work, const Operation& operation) {
  auto call = read_call(work.text_of(operation.range), operation.range.begin_byte, operation.callee);
  const char* function = operation.callee == "ncclCommFinalize" ? "cuco::comm::finalize" : "cuco::comm::destroy";
  if (!call || operation.callee == "ncclCommAbort") return;  // An abort leaves everything to the end of the process.
  work.edits.replace(operation.range.file, call->callee_begin, call->callee_end, function);
}

// Where an operation stands, seen from the function that is `depth` calls below the entry: the call that leads to it,
// or its own.
SourceRange place_in_frame(const Operation& operation, size_t depth) {
  return depth < operation.call_path.size() ? operation.call_path[depth] : operation.statement;
}

size_t common_depth(const Operation& a, const Operation& b) {
  size_t depth = 0;
  while (depth < a.call_path.size() && depth < b.call_path.size() && a.call_path[depth] == b.call_path[depth]) depth++;
  return depth;
}

bool contains(const SourceRange& outer, const SourceRange& inner) {
  return outer.file == inner.file && outer.begin_byte <= inner.begin_byte && inner.end_byte <= outer.end_byte;
}

// The outermost loop around `place` that does not hold `other` too.
const SourceRange* loop_to_leave(const Work& work, const SourceRange& place, const SourceRange& other) {
  const SourceRange* outermost = nullptr;
  for (const model::Loop& loop : work.program().loops)
    if (contains(loop.range, place) && !contains(loop.range, other) && (!outermost || contains(loop.range, *outermost)))
      outermost = &loop.range;
  return outermost;
}

// The last allocation or communicator before a use, in order of execution. Branches and template instances can have
// one each.
struct SetUp {
  const Operation* last = nullptr;
  const Operation* first_use = nullptr;
};

std::vector<SetUp> find_set_ups(const Work& work, const std::set<Index>& buffers) {
  std::vector<SetUp> found;
  std::set<Index> uses;
  for (Index site : work.sites)
    for (Index operation : work.request.graph.sites[site].operations) uses.insert(operation);
  const Operation* last = nullptr;
  for (const model::Step& step : work.program().steps) {
    const Operation& operation = work.program().operations[step.operation];
    if (operation.kind == OperationKind::CommInit || allocates_one_of(work, operation, buffers)) last = &operation;
    if (!last || !uses.contains(step.operation)) continue;
    found.push_back({last, &operation});
    last = nullptr;
  }
  return found;
}

// After the last allocation and communicator, outside of loops that make them, in the innermost function that sees both
// it and the use.
void open_after(Work& work, const SetUp& set_up) {
  size_t depth = common_depth(*set_up.last, *set_up.first_use);
  SourceRange place = place_in_frame(*set_up.last, depth);
  SourceRange use = place_in_frame(*set_up.first_use, depth);
  const std::string& text = work.text_of(place);
  std::optional<uint32_t> end;
  if (const SourceRange* loop = loop_to_leave(work, place, use))
    end = loop->end_byte;
  else
    end = statement_end(text, place.begin_byte);
  if (!end) return work.obstacle(place, "no rule finds the end of this statement, after which windows are registered");
  std::string indent = indentation(text, place.begin_byte);
  std::string open = is_host_file(work.request.sources[place.file].path) ? std::string("cuco::comm::open_all();")
                                                                         : open_text(work, open_options(work));
  work.edits.insert(place.file, *end, concat("\n", indent, open));
}

}  // namespace

void open_communicators(Work& work) {
  std::set<Index> buffers = window_buffers(work);
  for (const Operation& operation : work.program().operations) {
    if (operation.kind == OperationKind::CommInit) remember(work, operation);
    if (operation.kind == OperationKind::CommDestroy) close_before(work, operation);
  }
  std::vector<SetUp> set_ups = find_set_ups(work, buffers);
  for (const SetUp& set_up : set_ups) open_after(work, set_up);
  if (!set_ups.empty()) return;
  const Operation& call = work.program().operations[work.request.graph.sites[work.sites[0]].operations[0]];
  work.obstacle(call.range, "the communicator of this call is not made before it in sight");
}

}  // namespace cuco::rewrite
