#include "rewrite/proof.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace cuco::rewrite {

namespace {

using model::Index;
using model::Operation;
using model::Program;

bool on_device(const space::Plan& plan, const model::Site& site) {
  const space::Directive* directive = space::find_directive(plan, site.name);
  return directive && directive->backend != space::Backend::Host;
}

// A kernel that communicates besides is the kernel whose name it carries.
std::string own_name(std::string kernel, const space::Plan& plan) {
  for (const space::SiteChoice& choice : plan.choices)
    if (choice.directive.placement == space::Placement::TileFused ||
        choice.directive.placement == space::Placement::Specialised)
      kernel = replace_all(std::move(kernel), concat("_with_", choice.site), "");
  auto is_fused = [](const space::SiteChoice& choice) {
    return choice.directive.placement == space::Placement::TileFused;
  };
  if (std::any_of(plan.choices.begin(), plan.choices.end(), is_fused))
    kernel = replace_all(std::move(kernel), "_sending", "");
  if (plan.schedule.waits == space::Waits::Blocks) kernel = replace_all(std::move(kernel), "_awaiting", "");
  return kernel;
}

// In the order in which they first run: how often a loop is followed says nothing.
std::vector<std::string> own_launches(const Program& program, const space::Plan& plan) {
  std::vector<std::string> order;
  for (const Operation& operation : program.operations) {
    bool own = operation.kind == model::OperationKind::Launch && !operation.function.starts_with("device_comm::");
    std::string name = own_name(operation.callee, plan);
    if (own && (order.empty() || order.back() != name)) order.push_back(std::move(name));
  }
  return order;
}

std::string without_template_arguments(const std::string& name) { return name.substr(0, name.find('<')); }

// Without events that bound it, the region begins with the set-up that rules put in.
bool is_set_up_of_rules(const Operation& operation) { return operation.function == "device_comm::agree_on_largest"; }

void compare_sites(const ProofInput& input, bool by_rules, Proof& proof) {
  std::multiset<std::string> left;
  for (const model::Site& site : input.graph_after.sites) {
    const Operation& call = input.after.operations[site.operations[0]];
    if (site.in_region && !(by_rules && is_set_up_of_rules(call))) left.insert(call.callee);
  }
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

// The analysis gives up on programs that are too long to follow; then only what it has seen can be compared.
bool was_followed_to_the_end(const Program& program) {
  return std::none_of(program.diagnostics.begin(), program.diagnostics.end(), [](const model::Diagnostic& one) {
    return one.message.find("is left out of the analysis") != std::string::npos;
  });
}

void compare_order(const ProofInput& input, Proof& proof) {
  std::vector<std::string> before = own_launches(input.before, input.plan);
  std::vector<std::string> after = own_launches(input.after, input.plan);
  if (!was_followed_to_the_end(input.after)) before.resize(std::min(before.size(), after.size()));
  if (before == after) return;
  proof.faults.push_back(concat("the analysis finds the program's kernels in the order ", join(after, ", "),
                                " instead of ", join(before, ", ")));
}

// Which of several kernels a launch is of can depend on what a group has put together, so that the section launches
// some kernel that the analysis cannot name is enough; that some is launched cannot.
bool launches_communication(const ProofInput& input, const Operation& operation) {
  if (operation.kind != model::OperationKind::Launch) return false;
  bool unnamed = operation.launch && operation.launch->kernel == model::kNone;
  if (unnamed && operation.function.starts_with("device_comm::")) return true;
  std::string name = without_template_arguments(operation.callee);
  return std::any_of(input.kernels.begin(), input.kernels.end(), [&](const auto& one) { return one.second == name; });
}

void require_launches(const ProofInput& input, Proof& proof) {
  const std::vector<Operation>& operations = input.after.operations;
  bool any = std::any_of(operations.begin(), operations.end(),
                         [&](const Operation& operation) { return launches_communication(input, operation); });
  if (!any) proof.faults.push_back("the analysis finds no launch of a communication kernel in the rewritten program");
}

void require_same_kernels(const ProofInput& input, Proof& proof) {
  std::set<std::string> after;
  for (const model::Kernel& kernel : input.after.kernels)
    after.insert({kernel.name, own_name(kernel.name, input.plan)});
  for (const model::Kernel& kernel : input.before.kernels)
    if (!after.contains(kernel.name))
      proof.faults.push_back(concat("kernel ", kernel.name, " is gone from the rewritten program"));
}

}  // namespace

Proof compare_collectives(const ProofInput& input) {
  Proof proof;
  compare_sites(input, false, proof);
  return proof;
}

Proof prove(const ProofInput& input) {
  Proof proof;
  compare_sites(input, true, proof);
  require_launches(input, proof);
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
