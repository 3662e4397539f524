#include "rewrite/proof.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "model/step_facts.h"

namespace cuco::rewrite {

namespace {

using model::Index;
using model::Operation;
using model::Program;

bool on_device(const space::Plan& plan, const model::Site& site) {
  const space::Directive* directive = space::find_directive(plan, site.name);
  return directive && directive->backend != space::Backend::Host;
}

// Equal neighbours count once: a group of calls is one kernel, and how often a loop is followed says nothing.
void add(std::vector<std::string>& order, const std::string& kernel) {
  if (order.empty() || order.back() != kernel) order.push_back(kernel);
}

std::vector<std::string> order_of_calls(const ProofInput& input) {
  std::map<Index, std::string> kernel_of;
  for (const model::Site& site : input.graph_before.sites)
    for (Index operation : site.operations)
      if (auto found = input.kernels.find(site.name); found != input.kernels.end())
        kernel_of[operation] = found->second;
  std::vector<std::string> order;
  for (const model::Step& step : input.before.steps)
    if (auto found = kernel_of.find(step.operation); found != kernel_of.end()) add(order, found->second);
  return order;
}

std::vector<std::string> order_of_launches(const ProofInput& input) {
  std::set<std::string> kernels;
  for (const auto& [site, kernel] : input.kernels) kernels.insert(kernel);
  std::vector<std::string> order;
  for (const model::Step& step : input.after.steps) {
    const Operation& operation = input.after.operations[step.operation];
    if (operation.kind == model::OperationKind::Launch && kernels.contains(operation.callee))
      add(order, operation.callee);
  }
  return order;
}

void compare_sites(const ProofInput& input, Proof& proof) {
  std::multiset<std::string> left;
  for (const model::Site& site : input.graph_after.sites)
    if (site.in_region) left.insert(input.after.operations[site.operations[0]].callee);
  for (const model::Site& site : input.graph_before.sites) {
    const Operation& call = input.before.operations[site.operations[0]];
    std::string what = concat(site.name, " ", call.callee, " at ", model::location_text(input.before, call.range));
    if (on_device(input.plan, site)) {
      proof.converted.push_back(concat(what, " is ", space::to_text(*space::find_directive(input.plan, site.name))));
      continue;
    }
    std::string reason = site.blockers.empty() ? "the plan leaves it" : join(site.blockers, "; ");
    proof.kept.push_back(concat(what, " stays on the host: ", reason));
    if (auto found = left.find(call.callee); site.in_region && found != left.end()) left.erase(found);
  }
  for (const std::string& callee : left)
    proof.faults.push_back(concat("a call of ", callee, " is left in the region that the plan takes off the host"));
}

void compare_order(const ProofInput& input, Proof& proof) {
  std::vector<std::string> calls = order_of_calls(input), launches = order_of_launches(input);
  if (calls == launches) return;
  proof.faults.push_back(concat("the analysis finds the exchanges in the order ", join(launches, ", "), " instead of ",
                                join(calls, ", ")));
}

void require_same_kernels(const ProofInput& input, Proof& proof) {
  std::set<std::string> after;
  for (const model::Kernel& kernel : input.after.kernels) after.insert(kernel.name);
  for (const model::Kernel& kernel : input.before.kernels)
    if (!after.contains(kernel.name))
      proof.faults.push_back(concat("kernel ", kernel.name, " is gone from the rewritten program"));
}

}  // namespace

Proof prove(const ProofInput& input) {
  Proof proof;
  compare_sites(input, proof);
  compare_order(input, proof);
  require_same_kernels(input, proof);
  return proof;
}

std::string to_text(const Proof& proof) {
  std::string text;
  for (const std::string& line : proof.converted) text += concat("converted  ", line, "\n");
  for (const std::string& line : proof.kept) text += concat("kept       ", line, "\n");
  for (const std::string& line : proof.faults) text += concat("FAULT      ", line, "\n");
  return text;
}

}  // namespace cuco::rewrite
