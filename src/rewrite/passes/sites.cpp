#include <algorithm>
#include <map>

#include "base/assert.h"
#include "base/text.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/comm_text.h"
#include "rewrite/text/host_calls.h"
#include "rewrite/text/source_scan.h"

namespace cuco::rewrite {

namespace {

void replace_call(Work& work, Index site, const Operation& operation) {
  auto call = work.call_text(operation);
  if (!call) return work.obstacle(operation.range, "no rule replaces ", operation.callee, " written like this");
  bool by_name = kind_of(work, operation.text.file) != FileKind::Device;
  std::string begin = by_name ? concat(call_name(work, site), "(")
                              : concat(function_of(operation.callee), "(", route_of(work, site), ", ");
  work.edits.replace(operation.text.file, call->callee_begin, call->open,
                     library_name(work, operation.text.file, begin));
}

// Which operations of a group go to the device: all, none, or, where a rule gives up, some.
struct Group {
  const Operation* start = nullptr;
  const Operation* end = nullptr;
  size_t on_device = 0, on_host = 0;
};

bool is_device_operation(const Work& work, Index operation) {
  return std::ranges::any_of(work.sites, [&](Index site) { return is_call_of(work, site, operation); });
}

// By the operation that starts it.
std::map<Index, Group> find_groups(const Work& work) {
  std::map<Index, Group> groups;
  std::vector<Index> open;
  for (const model::Step& step : work.program().steps) {
    const Operation& operation = work.operation(step.operation);
    if (operation.kind == OperationKind::GroupStart) {
      open.push_back(step.operation);
      groups[step.operation].start = &operation;
    } else if (operation.kind == OperationKind::GroupEnd && !open.empty()) {
      groups[open.back()].end = &operation;
      open.pop_back();
    } else if (operation.communicate && !open.empty()) {
      Group& group = groups[open.front()];
      (is_device_operation(work, step.operation) ? group.on_device : group.on_host)++;
    }
  }
  return groups;
}

void replace_group(Work& work, const Group& group) {
  if (group.on_device == 0) return;
  if (group.on_host > 0)
    return work.obstacle(group.start->range, "the plan takes only a part of this group off the host");
  for (const Operation* operation : {group.start, group.end}) {
    if (!operation) continue;
    auto call = work.call_text(*operation);
    if (!call || operation->callee == "ncclGroupSimulateEnd") {
      work.obstacle(operation->range, "no rule replaces ", operation->callee, " written like this");
      continue;
    }
    bool start = operation->kind == OperationKind::GroupStart;
    work.edits.replace(operation->text.file, call->callee_begin, call->callee_end,
                       library_name(work, operation->text.file, start ? "group_start" : "group_end"));
  }
}

}  // namespace

std::string reach_of(const Work& work, Index site) {
  space::Backend backend = directive_of(work, site).backend;
  return backend == space::Backend::Gin ? "Gin" : backend == space::Backend::Hybrid ? "Hybrid" : "Lsa";
}

std::string call_name(const Work& work, Index site) {
  return concat(work.site(site).name, "_", function_of(work.operation(work.site(site).operations[0]).callee));
}

std::string issue_of(const Work& work, Index site) {
  space::Issuer issuer = directive_of(work, site).issuer;
  return issuer == space::Issuer::Thread ? "Thread" : issuer == space::Issuer::Warp ? "Warp" : "Block";
}

std::string shared_site(const Work& work, Index site) {
  const model::CommunicateDetail& detail = detail_of(work, site);
  if (detail.group == model::kNone || is_reduction(detail.collective)) return work.site(site).name;
  // Calls of one group are one kernel, named after the first of them.
  for (Index other : work.sites)
    if (detail_of(work, other).group == detail.group && !is_reduction(detail_of(work, other).collective))
      return work.site(other).name;
  CUCO_ASSERT(false);
}

std::string kernel_name(const Work& work, Index site) {
  return concat(is_reduction(detail_of(work, site).collective) ? "reduce_for<" : "exchange_for<",
                shared_site(work, site).substr(1));
}

void replace_calls(Work& work) {
  for (Index site : work.sites) {
    const model::Site& shown = work.site(site);
    for (Index operation : shown.operations) replace_call(work, site, work.operation(operation));
    const Operation& first = work.operation(shown.operations[0]);
    work.note(shown.name, " ", first.callee, " at ", model::location_text(work.program(), first.range), " is ",
              space::to_text(directive_of(work, site)));
  }
  for (const auto& [start, group] : find_groups(work)) replace_group(work, group);
}

}  // namespace cuco::rewrite
