#include "rewrite/passes/launch_followers.h"

#include <algorithm>

#include "base/text.h"
#include "model/step_facts.h"
#include "rewrite/text/host_calls.h"
#include "rewrite/text/source_scan.h"

namespace cuco::rewrite {

namespace {

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::ranges::find(all, one) != all.end();
}

// One stands under a condition, the other under its opposite.
bool exclude_each_other(const Operation& a, const Operation& b) {
  auto opposes = [](const Operation& one, const Operation& other) {
    return std::ranges::any_of(one.conditions, [&](const std::string& condition) {
      return contains(other.conditions, concat("!(", condition, ")"));
    });
  };
  return opposes(a, b) || opposes(b, a);
}

bool may_be_left_out(const Operation& launch, const Operation& next) {
  return std::ranges::any_of(next.conditions,
                             [&](const std::string& one) { return !contains(launch.conditions, one); });
}

// Whether a statement can be put before the operation's.
bool has_room_before(const Work& work, const Operation& operation) {
  const SourceRange& statement = operation.statement;
  if (!statement.editable || is_host_file(work.request.sources[statement.file].path)) return false;
  return !is_loop(work.text_of(statement), statement.begin_byte);
}

void follow(const Work& work, Index from, const HeldFor& held_for, Followers& found) {
  const std::vector<model::Step>& steps = work.program().steps;
  const Operation& launch = work.operation(steps[from].operation);
  for (size_t i = from + 1; i < steps.size(); i++) {
    const Operation& next = work.operation(steps[i].operation);
    bool ends_group = next.kind == OperationKind::GroupEnd && held_for.may_be_left_out;
    if (next.kind == OperationKind::GroupStart || ends_group || exclude_each_other(launch, next)) continue;
    bool is_optional = may_be_left_out(launch, next);
    if (held_for.is_call(steps[i].operation)) {
      found.has_call = true;
      if (is_optional && !held_for.may_be_left_out)
        found.obstacle = "the call does not follow on every way through the program";
      if (is_optional && held_for.may_be_left_out) continue;
      return;
    }
    std::string name =
        concat(next.callee, " at ", model::location_text(work.program(), next.range), " stands between them");
    if (found.first_other.empty()) found.first_other = name;
    if (next.range != launch.range) found.others.insert(steps[i].operation);
    if (next.range != launch.range && !has_room_before(work, next)) found.obstacle = name;
    if (!is_optional) return;
  }
  found.obstacle = "the call does not follow it";
}

}  // namespace

Followers followers_of(const Work& work, const Operation& launch, const HeldFor& held_for) {
  Followers found;
  for (Index step = 0; step < work.program().steps.size(); step++) {
    const Operation& operation = model::operation_at(work.program(), step);
    if (operation.kind == OperationKind::Launch && operation.range == launch.range) follow(work, step, held_for, found);
  }
  if (found.obstacle.empty() && !found.has_call) found.obstacle = found.first_other;
  return found;
}

void release_before(Work& work, const std::set<Index>& operations,
                    const std::function<bool(const Operation&)>& is_held) {
  std::set<std::pair<Index, uint32_t>> places;
  for (Index index : operations) {
    const Operation& operation = work.operation(index);
    const SourceRange& statement = operation.statement;
    if (is_held(operation) || !places.emplace(statement.file, statement.begin_byte).second) continue;
    const std::string& text = work.text_of(statement);
    bool braces = !stands_in_block(text, statement.begin_byte);
    std::string line = concat("\n", indentation(text, statement.begin_byte), braces ? "  " : "");
    work.edits.insert(statement.file, statement.begin_byte,
                      concat(braces ? concat("{", line) : "", "cuco::comm::launch_waiting();", line));
    if (braces)
      work.edits.insert(statement.file, statement.end_byte, concat("\n", indentation(text, statement.begin_byte), "}"));
  }
}

}  // namespace cuco::rewrite
