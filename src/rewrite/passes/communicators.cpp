#include <algorithm>
#include <set>

#include "base/text.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/comm_text.h"
#include "rewrite/text/host_calls.h"
#include "rewrite/text/source_scan.h"

namespace cuco::rewrite {

namespace {

// The argument that receives the communicator.
std::string made_communicator(const Operation& operation, const CallText& call) {
  size_t position = operation.callee == "ncclCommSplit" || operation.callee == "ncclCommShrink" ? 3 : 0;
  return position < call.arguments.size() ? call.arguments[position] : std::string();
}

bool is_in_host_file(const Work& work, const SourceRange& range) {
  return kind_of(work, range.file) != FileKind::Device;
}

// A call, with a function of the library around it.
void wrap(Work& work, const Operation& operation, const CallText& call, const std::string& begin,
          const std::string& end) {
  work.edits.insert(operation.text.file, call.callee_begin, begin);
  work.edits.insert(operation.text.file, call.close + 1, end);
}

// Around what makes communicators, where they are set up at once.
struct Opening {
  std::string begin, end;
};
Opening opening_at(const Work& work, const SourceRange& range) {
  if (!work.opens_when_made) return {};
  if (is_in_host_file(work, range)) return {concat(library_name(work, range.file, "opened"), "("), ")"};
  return {concat("cuco::comm::opened<", join(paths_of(work), ", "), ">("), concat(", ", open_options(work), ")")};
}

void remember(Work& work, const Operation& operation, bool in_group) {
  auto call = work.call_text(operation);
  std::string made = call ? made_communicator(operation, *call) : std::string();
  if (made.empty()) return work.obstacle(operation.range, "no rule follows ", operation.callee, " written like this");
  bool several = operation.callee == "ncclCommInitAll";
  bool in_c = kind_of(work, operation.text.file) == FileKind::C;
  std::string count = several ? concat(", ", call->arguments[1]) : "";
  std::string function = in_group ? "created_in_group" : several && in_c ? "created_all" : "created";
  Opening opening = in_group ? Opening() : opening_at(work, operation.text);
  wrap(work, operation, *call, concat(opening.begin, library_name(work, operation.text.file, function), "("),
       concat(", ", made, count, ")", opening.end));
}

void end_group(Work& work, const Operation& operation) {
  auto call = work.call_text(operation);
  if (!call) return work.obstacle(operation.range, "no rule follows ", operation.callee, " written like this");
  Opening opening = opening_at(work, operation.text);
  bool in_c = kind_of(work, operation.text.file) == FileKind::C;
  wrap(work, operation, *call,
       concat(opening.begin, library_name(work, operation.text.file, in_c ? "group_created" : "created"), "("),
       concat(")", opening.end));
}

void close_before(Work& work, const Operation& operation) {
  auto call = work.call_text(operation);
  std::string function =
      library_name(work, operation.text.file, operation.callee == "ncclCommFinalize" ? "finalize" : "destroy");
  if (!call || operation.callee == "ncclCommAbort") return;  // An abort leaves everything to the end of the process.
  work.edits.replace(operation.text.file, call->callee_begin, call->callee_end, function);
}

// Which communicators are made inside groups, and the ends of these.
struct MakingGroups {
  std::set<Index> makers, ends;
};
MakingGroups making_groups(const Work& work) {
  MakingGroups found;
  int depth = 0;
  bool makes = false;
  for (const model::Step& step : work.program().steps) {
    const Operation& operation = work.operation(step.operation);
    if (operation.kind == OperationKind::GroupStart) depth++;
    if (operation.kind == OperationKind::CommInit && depth > 0 && operation.callee != "ncclCommInitAll") {
      found.makers.insert(step.operation);
      makes = true;
    }
    if (operation.kind != OperationKind::GroupEnd || --depth > 0) continue;
    if (makes) found.ends.insert(step.operation);
    makes = false;
    depth = 0;
  }
  return found;
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

// As the analysis names the loop that a region of OpenMP is, whose threads drive GPUs.
bool is_region_of_threads(const model::Loop& loop) { return loop.induction == "omp_get_thread_num()"; }

bool ranks_are_threads(const Work& work) { return work.program().rank_model == model::RankModel::Threads; }

// The outermost loop around `place` that does not hold `other` too. What ranks that are threads do stays in their
// region.
const SourceRange* loop_to_leave(const Work& work, const SourceRange& place, const SourceRange& other) {
  const SourceRange* outermost = nullptr;
  for (const model::Loop& loop : work.program().loops) {
    if (ranks_are_threads(work) && is_region_of_threads(loop)) continue;
    if (contains(loop.range, place) && !contains(loop.range, other) && (!outermost || contains(loop.range, *outermost)))
      outermost = &loop.range;
  }
  return outermost;
}

// Whether both lie in one region that the threads of OpenMP execute side by side for communicators of one thread.
bool makes_windows_in_threads(const Work& work, const SourceRange& place, const SourceRange& use) {
  return !ranks_are_threads(work) && std::ranges::any_of(work.program().loops, [&](const model::Loop& loop) {
    return is_region_of_threads(loop) && contains(loop.range, place) && contains(loop.range, use);
  });
}

// How deep the frame is in which the operation's region of threads stands, from `depth` on; `depth` where it is in
// none.
size_t depth_of_threads(const Work& work, const Operation& operation, size_t depth) {
  for (size_t each = depth; ranks_are_threads(work) && each <= operation.call_path.size(); each++)
    for (const model::Loop& loop : work.program().loops)
      if (is_region_of_threads(loop) && contains(loop.range, place_in_frame(operation, each))) return each;
  return depth;
}

// The last allocation or communicator before a use, in order of execution. Branches and template instances can have
// one each.
struct SetUp {
  const Operation* last = nullptr;
  const Operation* first_use = nullptr;
};

std::vector<SetUp> find_set_ups(const Work& work, const std::set<Index>& buffers, const std::set<Index>& group_ends) {
  std::vector<SetUp> found;
  std::set<Index> uses;
  for (Index site : work.sites)
    for (Index operation : work.site(site).operations) uses.insert(operation);
  const Operation* last = nullptr;
  for (const model::Step& step : work.program().steps) {
    const Operation& operation = work.operation(step.operation);
    bool makes = operation.kind == OperationKind::CommInit || group_ends.contains(step.operation);
    if (makes || allocates_one_of(work, operation, buffers)) last = &operation;
    if (!last || !uses.contains(step.operation)) continue;
    found.push_back({last, &operation});
    last = nullptr;
  }
  return found;
}

// The body of a loop may be one statement, whose semicolon is no part of the loop's range.
std::optional<uint32_t> loop_end(const std::string& text, const SourceRange& loop) {
  bool is_whole = text[loop.end_byte - 1] == '}' || text[loop.end_byte - 1] == ';';
  return is_whole ? loop.end_byte : statement_end(text, loop.end_byte);
}

// After the last allocation and communicator, outside of loops that make them, in the innermost function that sees both
// it and the use. Threads that made them open them before their region ends.
void open_after(Work& work, const SetUp& set_up) {
  size_t depth = common_depth(*set_up.last, *set_up.first_use);
  SourceRange place = place_in_frame(*set_up.last, depth_of_threads(work, *set_up.last, depth));
  SourceRange use = place_in_frame(*set_up.first_use, depth);
  const std::string& text = work.text_of(place);
  const SourceRange* loop = loop_to_leave(work, place, use);
  if (makes_windows_in_threads(work, place, use))
    return work.obstacle(
        place,
        "threads of an OpenMP region allocate what communicators of ncclCommInitAll move, and move it in "
        "the same region, so no thread knows when all have allocated; allocate in a region before it, "
        "or make the communicators in the region by ncclCommInitRank");
  std::optional<uint32_t> end = loop ? loop_end(text, *loop) : statement_end(text, place.begin_byte);
  if (!end) return work.obstacle(place, "no rule finds the end of this statement, after which windows are registered");
  std::string indent = indentation(text, loop ? loop->begin_byte : place.begin_byte);
  std::string open = is_in_host_file(work, place) ? library_name(work, place.file, "open_all();")
                                                  : open_text(work, open_options(work));
  work.edits.insert(place.file, *end, concat("\n", indent, open));
}

}  // namespace

void open_communicators(Work& work) {
  std::set<Index> buffers = window_buffers(work);
  MakingGroups groups = making_groups(work);
  for (Index i = 0; i < work.program().operations.size(); ++i) {
    const Operation& operation = work.operation(i);
    if (operation.kind == OperationKind::CommInit) remember(work, operation, groups.makers.contains(i));
    if (operation.kind == OperationKind::CommDestroy) close_before(work, operation);
    if (groups.ends.contains(i)) end_group(work, operation);
  }
  if (work.opens_when_made) return;
  std::vector<SetUp> set_ups = find_set_ups(work, buffers, groups.ends);
  for (const SetUp& set_up : set_ups) open_after(work, set_up);
  if (!set_ups.empty()) return;
  const Operation& call = work.operation(work.site(work.sites[0]).operations[0]);
  work.obstacle(call.range, "the communicator of this call is not made before it in sight");
}

}  // namespace cuco::rewrite
