#include "rewrite/proof.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "rewrite/proof_traffic.h"
#include "rewrite/text/comm_calls.h"
#include "rewrite/words.h"

namespace cuco::rewrite {

namespace {

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
  if (std::ranges::any_of(plan.choices, is_fused)) kernel = replace_all(std::move(kernel), "_sending", "");
  if (plan.schedule.waits == space::Waits::Blocks) kernel = replace_all(std::move(kernel), "_waiting", "");
  return kernel;
}

// In the order in which they first run: how often a loop is followed says nothing.
std::vector<std::string> own_launches(const Program& program, const space::Plan& plan) {
  std::vector<std::string> order;
  for (const Operation& operation : program.operations) {
    bool own = operation.kind == OperationKind::Launch && !operation.function.starts_with("cuco::comm::");
    std::string name = own_name(operation.callee, plan);
    if (own && (order.empty() || order.back() != name)) order.push_back(std::move(name));
  }
  return order;
}

bool may_carry(space::Backend backend, model::Carrier carrier) {
  if (backend == space::Backend::Hybrid) return true;
  return (backend == space::Backend::Gin) == (carrier == model::Carrier::Gin);
}

// A kernel that stands for several sites may use what any of them asks for.
bool is_asked_of(const ProofInput& input, const model::Transfer& transfer) {
  return std::ranges::any_of(input.plan.choices, [&](const space::SiteChoice& choice) {
    auto kernels = input.inferred.kernels.find(choice.site);
    bool known = kernels != input.inferred.kernels.end();
    bool carries = !known || std::ranges::any_of(kernels->second, [&](const std::string& kernel) {
      return kernel_key(kernel) == kernel_key(transfer.what);
    });
    return carries && choice.directive.backend != space::Backend::Host &&
           may_carry(choice.directive.backend, transfer.carrier);
  });
}

void require_backend(const ProofInput& input, const std::string& site, const SiteTraffic& seen, Proof& proof) {
  const space::Directive& asked = *space::find_directive(input.plan, site);
  for (const model::Transfer& each : seen.moved().transfers)
    if (!may_carry(asked.backend, each.carrier) && !is_asked_of(input, each)) {
      proof.faults.push_back(concat(site, ": ", space::value_text(asked, space::Dimension::Backend),
                                    " is asked for, and ", model::mover_text(each), " was seen to use ",
                                    name_of(each.carrier)));
      return;
    }
}

void require_placement(const ProofInput& input, const std::string& site, Proof& proof) {
  const space::Directive &asked = *space::find_directive(input.plan, site),
                         *shown = space::find_directive(input.inferred.plan, site);
  if (shown && shown->placement != asked.placement)
    proof.faults.push_back(
        concat(site, ": the plan asks for ", space::to_text(asked), ", the code shows ", space::to_text(*shown)));
}

void prove_converted(const ProofInput& input, const model::Site& site, const std::string& what, Proof& proof) {
  SiteTraffic seen(input, site);
  Asked asked = on_device(input.plan, site) ? input.asked : Asked::Nothing;
  const space::Directive* shown =
      space::find_directive(asked == Asked::Nothing ? input.inferred.plan : input.plan, site.name);
  std::string moved =
      seen.pairs().empty() ? "the original was not seen to move bytes by it in the region" : join(seen.movers(), "; ");
  proof.converted.push_back({what, concat(space::to_text(*shown), ": ", moved)});
  if (auto missing = seen.missing(); !missing.empty()) {
    const auto& [from, to] = *missing.begin();
    std::string others = missing.size() > 1 ? concat(", nor between ", counted(missing.size() - 1, "other pair")) : "";
    proof.faults.push_back(concat(what, ": no kernel was seen to move data from rank ", from, " to rank ", to, others));
  }
  if (asked != Asked::Nothing) require_backend(input, site.name, seen, proof);
  if (asked == Asked::Placements) require_placement(input, site.name, proof);
}

// Of the program's own calls.
size_t count_sites(const Program& program, const model::CommGraph& graph, const std::string& callee) {
  return static_cast<size_t>(std::ranges::count_if(graph.sites, [&](const model::Site& site) {
    const Operation& call = program.operations[site.operations[0]];
    return call.callee == callee && !is_of_library(call);
  }));
}

void prove_sites(const ProofInput& input, bool by_rules, Proof& proof) {
  std::multiset<std::string> left, kept;
  for (const model::Site& site : input.graph_after.sites) {
    const Operation& call = input.after.operations[site.operations[0]];
    if (site.in_region && !(by_rules && is_of_library(call))) left.insert(call.callee);
  }
  for (const model::Site& site : input.graph_before.sites) {
    const Operation& call = input.before.operations[site.operations[0]];
    std::string what = concat(site.name, " ", call.callee, " at ", model::location_text(input.before, call.range));
    // A model may convert what the plan leaves, because no rule would.
    if (on_device(input.plan, site) || (!by_rules && site.in_region && !left.contains(call.callee))) {
      prove_converted(input, site, what, proof);
      continue;
    }
    std::string reason = site.blockers.empty() ? "the plan leaves it" : join(site.blockers, "; ");
    proof.kept.push_back(concat(what, " stays on the host: ", reason));
    kept.insert(call.callee);
    if (auto found = left.find(call.callee); site.in_region && found != left.end()) left.erase(found);
  }
  // Which region is guessed may change when calls leave the host: those that were to stay there may lie in it now.
  for (const std::string& callee : left)
    if (!by_rules || count_sites(input.after, input.graph_after, callee) > kept.count(callee))
      proof.faults.push_back(concat("a call of ", callee, " is left in the region that the plan takes off the host"));
}

Proof prove_all_sites(const ProofInput& input, bool by_rules) {
  Proof proof;
  prove_sites(input, by_rules, proof);
  proof.runs = concat(counted(input.runs.schedules, "schedule"), " of ", counted(input.runs.after.calls, "call"),
                      " of the region; bytes are those of the first");
  return proof;
}

// The analysis gives up on programs that are too long to follow; then only what it has seen can be compared.
bool was_followed_to_the_end(const Program& program) {
  return std::ranges::none_of(program.diagnostics, [](const model::Diagnostic& one) {
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

// Which of several kernels a launch is of can depend on what a group has put together, so that the library launches
// some kernel that the analysis cannot name is enough; that some is launched cannot.
bool launches_communication(const std::map<std::string, std::string>& kernels, const Operation& operation) {
  if (operation.kind != OperationKind::Launch) return false;
  bool unnamed = operation.launch && operation.launch->kernel == model::kNone;
  if (unnamed && operation.function.starts_with("cuco::comm::")) return true;
  std::string name = kernel_key(operation.callee);
  return std::ranges::any_of(kernels, [&](const auto& one) { return one.second == name; });
}

void require_launches(const ProofInput& input, const std::map<std::string, std::string>& kernels, Proof& proof) {
  const std::vector<Operation>& operations = input.after.operations;
  bool any = std::ranges::any_of(
      operations, [&](const Operation& operation) { return launches_communication(kernels, operation); });
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

Proof prove(const ProofInput& input) { return prove_all_sites(input, false); }

Proof prove_by_rules(const ProofInput& input, const std::map<std::string, std::string>& kernels) {
  Proof proof = prove_all_sites(input, true);
  require_launches(input, kernels, proof);
  compare_order(input, proof);
  require_same_kernels(input, proof);
  return proof;
}

namespace {

std::string to_text(const std::vector<ConvertedSite>& converted) {
  std::string text;
  for (size_t i = 0; i < converted.size();) {
    size_t first = i;
    std::string sites = converted[i++].site;
    for (; i < converted.size() && converted[i].seen == converted[first].seen; i++)
      sites += concat(",\n           ", converted[i].site);
    text += concat("converted  ", sites, i == first + 1 ? " is " : "\n           are ", converted[first].seen, "\n");
  }
  return text;
}

}  // namespace

std::string to_text(const Proof& proof) {
  std::string text = to_text(proof.converted);
  for (const std::string& line : proof.kept) text += concat("kept       ", line, "\n");
  for (const std::string& line : proof.faults) text += concat("FAULT      ", line, "\n");
  text += concat("seen in    ", proof.runs, "\n");
  return text;
}

}  // namespace cuco::rewrite
