#include "campaign/transform/transform.h"

#include <algorithm>

#include "base/text.h"
#include "campaign/layout.h"
#include "space/plan_legality.h"

namespace cuco::campaign {

namespace {

Result<std::optional<space::Backend>> wished_backend(const std::string& name) {
  if (name == "auto") return std::optional<space::Backend>();
  if (name == "lsa") return std::optional(space::Backend::Lsa);
  if (name == "gin") return std::optional(space::Backend::Gin);
  if (name == "hybrid") return std::optional(space::Backend::Hybrid);
  return Error{concat("cuco transform: error: --backend ", name, ": one of lsa, gin, hybrid, auto")};
}

// Another site of its exchange that cannot leave the host; the site itself could.
const space::SiteFacts* hindrance_of(const Original& original, const space::SiteFacts& site) {
  auto other = std::ranges::find_if(original.sites, [&](const space::SiteFacts& each) {
    return each.name != site.name && each.exchange == site.exchange && !each.blockers.empty();
  });
  return other == original.sites.end() ? nullptr : &*other;
}

// Why a site stays on the host: what keeps it there at all, else what speaks against the backend.
std::string reasons_of(const Original& original, const space::SiteFacts& site, std::optional<space::Backend> wished) {
  if (!site.blockers.empty()) return join(site.blockers, "; ");
  if (const space::SiteFacts* other = hindrance_of(original, site))
    return concat("its exchange leaves the host as a whole or not at all, and ", other->name, " at ", other->location,
                  " cannot: ", join(other->blockers, "; "));
  std::vector<std::string> reasons;
  for (space::SyncScope sync : {space::SyncScope::Barrier, space::SyncScope::Flag, space::SyncScope::PeerSignal}) {
    space::Directive directive{wished.value_or(space::Backend::Lsa), space::Placement::Deferred, sync,
                               space::Issuer::Cta, space::kWholeMessage};
    std::vector<space::Violation> violations = space::check(site, directive, original.profile);
    if (violations.empty()) return "an exchange is converted as a whole or not at all";
    if (sync != space::SyncScope::Barrier) continue;
    for (const space::Violation& violation : violations) reasons.push_back(violation.reason);
  }
  return join(reasons, "; ");
}

bool stays_on_host(const space::SiteFacts& site, const space::Plan& plan) {
  const space::Directive* directive = space::find_directive(plan, site.name);
  return directive != nullptr && directive->backend == space::Backend::Host;
}

// Of sites that the plan leaves on the host although nobody asked for that, a line each.
std::string obstacles_of(const Original& original, const space::Plan& plan, std::optional<space::Backend> wished,
                         bool of_region) {
  std::string text;
  for (const space::SiteFacts& site : original.sites) {
    if (!stays_on_host(site, plan) || (of_region && !site.in_region)) continue;
    text += concat(site.location, ": error: ", site.name, " ", site.callee,
                   " cannot be converted: ", reasons_of(original, site, wished), "\n");
  }
  return text;
}

Error nothing_to_convert(const Original& original, const space::Plan& plan, std::optional<space::Backend> wished) {
  return Error{concat(obstacles_of(original, plan, wished, false),
                      "no rule converts any site of the region; a model can be asked to rewrite the program instead")};
}

std::string outcome_text(const evaluate::Verdict& verdict) {
  return concat(verdict.passed() ? "verified, " : "REJECTED after ", evaluate::proof_words(verdict));
}

// Shows a stage's verdict; false when it did not pass.
bool report_stage(const std::string& stage, const evaluate::Verdict& verdict, Context& context) {
  context.out << stage << outcome_text(verdict);
  if (verdict.timing) context.out << ", " << verdict.timing->median_us << " us";
  if (verdict.timing && verdict.baseline_us) context.out << " (host-driven " << *verdict.baseline_us << ")";
  context.out << "\n";
  if (!verdict.passed()) context.out << evaluate::to_text(verdict);
  return verdict.passed();
}

// Chunks are cut where a run of the original shows that blocks write them, and blocks wait for what it shows them to
// read; other plans need no run.
Result<std::optional<model::AccessTrace>> accesses_for(const space::Plan& plan, const Original& original) {
  bool in_chunks = std::ranges::any_of(plan.choices, [](const space::SiteChoice& choice) {
    return choice.directive.chunk_bytes != space::kWholeMessage;
  });
  if (!in_chunks && plan.schedule.waits == space::Waits::Stream) return std::optional<model::AccessTrace>();
  Result<model::AccessTrace> trace = evaluate::trace_accesses(original.request);
  if (!trace) return trace.error();
  return std::optional(std::move(*trace));
}

Status refuse(Context& context) {
  context.exit_code = kProgramFailed;
  context.out << "Nothing was written.\n";
  return Done{};
}

// The program after each stage. An error says what no rule can do.
struct Stages {
  rewrite::Rewritten windows, whole;
};
Result<Stages> rewritten_by_rules(const Original& original, const space::Plan& plan) {
  rewrite::Request request{original.analyzed.program, original.analyzed.graph, original.sites, plan, original.sources};
  Result<std::optional<model::AccessTrace>> accesses = accesses_for(plan, original);
  if (!accesses) return accesses.error();
  if (*accesses) request.accesses = &**accesses;
  request.stage = rewrite::Stage::Windows;
  Result<rewrite::Rewritten> windows = rewrite::rewrite(request);
  if (!windows) return windows.error();
  request.stage = rewrite::Stage::Whole;
  Result<rewrite::Rewritten> whole = rewrite::rewrite(request);
  if (!whole) return whole.error();
  return Stages{*std::move(windows), *std::move(whole)};
}

Original through_staging(const Original& original) {
  Original staged = original;
  space::stage_all(staged.analyzed.graph, staged.sites);
  return staged;
}

// Plans of the user are kept to; the fast path is not tied to windows.
bool may_be_staged(const TransformOptions& options, const Original& original) {
  return options.plan.empty() && !space::is_all_staged(original.sites);
}

Status run_stages(const TransformOptions& options, const Original& original, const space::Plan& plan,
                  const Stages& stages, Context& context);

Status run_through_staging(const TransformOptions& options, const Original& original, const space::Plan& plan,
                           Context& context) {
  context.out << "Windows do not do for this program: once more through staging memory.\n";
  Original staged = through_staging(original);
  Result<Stages> stages = rewritten_by_rules(staged, plan);
  if (!stages) return stages.error();
  return run_stages(options, staged, plan, *stages, context);
}

// Says whether windows and device communicator alone would have passed: in which half to look for the fault.
Status refuse_stage(const Original& original, const Stages& stages, Context& context) {
  Result<evaluate::Verdict> windows = verify(original, stages.windows.sources, false);
  if (!windows) return windows.error();
  report_stage("with the host's calls in place  ", *windows, context);
  return refuse(context);
}

Status run_stages(const TransformOptions& options, const Original& original, const space::Plan& plan,
                  const Stages& stages, Context& context) {
  const rewrite::Rewritten* whole = &stages.whole;
  Result<evaluate::Verdict> verdict = verify(original, whole->sources, true);
  if (!verdict) return verdict.error();
  bool passed = report_stage("device-initiated communication  ", *verdict, context);
  bool ran = verdict->reached >= evaluate::Level::Built;
  if (!passed && ran && may_be_staged(options, original)) return run_through_staging(options, original, plan, context);
  if (!passed) return refuse_stage(original, stages, context);
  Result<Conversion> conversion = look_at_conversion(
      original, {whole->sources, *verdict, plan, rewrite::Asked::Backends, &whole->kernels}, context);
  if (!conversion) return conversion.error();
  const rewrite::Proof& proof = conversion->proof;
  context.out << rewrite::to_text(proof);
  for (const std::string& note : options.explain ? whole->notes : std::vector<std::string>())
    context.out << "  " << note << "\n";
  if (!proof.holds()) return refuse(context);
  return hand_over(options, original, {whole->sources, plan, proof, *verdict}, context);
}

// Loads and stores reach no other node, and puts need a NIC between nodes: a workload that has the wrong layout for the
// backend gets the other one, unless the user says where it goes.
Result<TransformOptions> placed(TransformOptions options, Context& context) {
  bool own_layout = options.evaluation.nodes || !options.evaluation.profile.empty();
  if (options.backend == "auto" || own_layout) return options;
  Result<evaluate::EvaluationRequest> request = describe_evaluation(options.evaluation, context);
  if (!request) return request.error();
  uint32_t ranks = request->configuration.rank_count;
  bool on_one_node = request->configuration.node_count == 1, wants_one_node = options.backend == "lsa";
  if (on_one_node == wants_one_node) return options;
  // A program without a harness takes the device of its rank, and puts go through a NIC inside a node, too.
  bool keeps_node = request->plain && ranks <= 4;
  options.evaluation.nodes = wants_one_node || keeps_node ? 1 : ranks % 2 == 0 ? 2 : ranks;
  options.evaluation.profile = wants_one_node ? usual_profile(ranks, 1) : "a100-2node-roce";
  context.out << "placed on " << counted(options.evaluation.nodes, "node") << " of " << options.evaluation.profile
              << " for " << options.backend << "\n";
  return options;
}

// What a model is asked for where rules leave a site on the host: the backend that was wished, else the topology's.
space::Plan wanted_plan(const Original& original, const space::Plan& plan, std::optional<space::Backend> wished) {
  const model::Topology& topology = original.profile.topology;
  space::Backend backend = topology.nodes == 1           ? space::Backend::Lsa
                           : topology.ranks_per_node > 1 ? space::Backend::Hybrid
                                                         : space::Backend::Gin;
  space::Plan wanted = plan;
  for (size_t i = 0; i < original.sites.size(); ++i)
    if (original.sites[i].in_region && stays_on_host(original.sites[i], plan))
      wanted.choices[i].directive = {wished.value_or(backend), space::Placement::Deferred, space::SyncScope::Barrier,
                                     space::Issuer::Cta, space::kWholeMessage};
  return wanted;
}

Status check_way(const TransformOptions& options) {
  if (options.with != "auto" && options.with != "rules" && options.with != "model")
    return Error{concat("cuco transform: error: --with ", options.with, ": one of rules, model, auto")};
  if (options.with == "model" && options.models.model.empty())
    return Error{"cuco transform: error: --with model needs --model, such as anthropic:NAME or command:PROGRAM"};
  return Done{};
}

bool rules_apply(const Original& original, const space::Plan& plan) {
  rewrite::Request request{original.analyzed.program, original.analyzed.graph, original.sites, plan, original.sources};
  return !rewrite::device_sites(request).empty();
}

// What rules make of the program.
struct RulesOutcome {
  Result<Stages> stages = Error{};  // An error where they do not apply, or refuse.
  std::string obstacles;            // What keeps them from converting all that was asked for.
};
RulesOutcome try_rules(const TransformOptions& options, const Original& original, const space::Plan& plan,
                       std::optional<space::Backend> wished) {
  RulesOutcome outcome;
  if (options.plan.empty()) outcome.obstacles = obstacles_of(original, plan, wished, true);
  if (!rules_apply(original, plan)) return outcome;
  outcome.stages = rewritten_by_rules(original, plan);
  if (!outcome.stages) outcome.obstacles += outcome.stages.error().message;
  return outcome;
}

bool asks_model(const TransformOptions& options, const RulesOutcome& rules) {
  if (options.with != "auto") return options.with == "model";
  return !options.models.model.empty() && !(rules.stages && rules.obstacles.empty());
}

}  // namespace

Status transform(const TransformOptions& asked, Context& context) {
  Result<TransformOptions> chosen = placed(asked, context);
  if (!chosen) return chosen.error();
  const TransformOptions& options = *chosen;
  if (Status fine = check_way(options); !fine) return fine;
  Result<std::optional<space::Backend>> wished = wished_backend(options.backend);
  if (!wished) return wished.error();
  Result<Original> original = read_original(options, context);
  if (!original) return original.error();
  if (Status fine = check_output(options, *original); !fine) return fine;
  Result<space::Plan> plan = chosen_plan(options, *original, *wished, context);
  if (!plan) return plan.error();
  bool apply = rules_apply(*original, *plan);
  if (!apply && (options.with == "rules" || options.models.model.empty()))
    return nothing_to_convert(*original, *plan, *wished);
  if (Status chosen_proofs = choose_proofs(options.evaluation, original->request); !chosen_proofs)
    return chosen_proofs.error();
  RulesOutcome rules = try_rules(options, *original, *plan, *wished);
  if (apply && !rules.stages && may_be_staged(options, *original)) {
    Original staged = through_staging(*original);
    RulesOutcome second = try_rules(options, staged, *plan, *wished);
    if (second.stages) rules = std::move(second), *original = std::move(staged);
  }
  context.out << target_text(options.evaluation) << ", " << counted(original->sites.size(), "communication site")
              << ", " << original->request.configuration.rank_count << " ranks on "
              << counted(original->request.configuration.node_count, "node") << "\n";
  end_processes_on_interrupt();
  if (asks_model(options, rules)) {
    space::Plan wanted = options.plan.empty() ? wanted_plan(*original, *plan, *wished) : *plan;
    return transform_by_model(options, *original, {wanted, rules.obstacles}, context);
  }
  if (!rules.stages) return rules.stages.error();
  return run_stages(options, *original, *plan, *rules.stages, context);
}

}  // namespace cuco::campaign
