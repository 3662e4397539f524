// cuco transform: from a host-driven program to a device-initiated one, proven on the virtual cluster.
#include <CLI/CLI.hpp>
#include <memory>

#include "base/files.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "cli/evaluation_input.h"
#include "cli/program_input.h"
#include "rewrite/proof.h"
#include "rewrite/rewrite.h"
#include "space/fast_path.h"
#include "space/plan_legality.h"

namespace cuco::cli {

namespace fs = std::filesystem;

namespace {

struct TransformOptions {
  EvaluationOptions evaluation;
  std::string backend = "auto";
  std::string with = "auto";
  std::string output;
  bool explain = false;
};

// Everything about the program as it was.
struct Original {
  evaluate::EvaluationRequest request;
  AnalyzedProgram analyzed;
  std::vector<space::SiteFacts> sites;
  std::vector<rewrite::Source> sources;
  model::HardwareProfile profile;
};

frontend::ParseRequest parse_request(const EvaluationOptions& options, const evaluate::EvaluationRequest& request,
                                     const std::vector<fs::path>& files) {
  frontend::ParseRequest parse;
  for (const fs::path& file : files) parse.files.push_back(file.string());
  for (const fs::path& folder : request.include_folders) parse.include_folders.push_back(folder.string());
  parse.definitions = options.definitions;
  parse.standard = options.standard;
  return parse;
}

Result<Original> read_original(const TransformOptions& options, Context& context) {
  Result<evaluate::EvaluationRequest> request = make_evaluation(options.evaluation, context);
  if (!request) return request.error();
  Result<evaluate::Workload> workload = find_workload(options.evaluation, context);
  if (!workload) return workload.error();
  Result<AnalyzedProgram> analyzed =
      analyze_program(parse_request(options.evaluation, *request, workload->files), context);
  if (!analyzed) return analyzed.error();
  Result<model::HardwareProfile> profile = evaluate::profile_of(request->configuration, *context.share / "profiles");
  if (!profile) return profile.error();
  profile->topology.nodes = request->configuration.node_count;
  profile->topology.ranks_per_node = request->configuration.rank_count / request->configuration.node_count;
  Original original{*request, *std::move(analyzed), {}, {}, *profile};
  original.sites = space::all_site_facts(original.analyzed.program, original.analyzed.graph);
  for (const model::SourceFile& file : original.analyzed.program.files) {
    Result<std::string> text = read_file(file.path);
    if (!text) return text.error();
    original.sources.push_back({file.path, std::move(*text)});
  }
  return original;
}

Result<std::optional<space::Backend>> wished_backend(const std::string& name) {
  if (name == "auto") return std::optional<space::Backend>();
  if (name == "lsa") return std::optional(space::Backend::Lsa);
  if (name == "gin") return std::optional(space::Backend::Gin);
  if (name == "hybrid") return std::optional(space::Backend::Hybrid);
  return Error{concat("cuco transform: error: --backend ", name, ": one of lsa, gin, hybrid, auto")};
}

// Why a site stays on the host: what keeps it there at all, else what speaks against the backend.
std::string reasons_of(const Original& original, const space::SiteFacts& site, std::optional<space::Backend> wished) {
  if (!site.blockers.empty()) return join(site.blockers, "; ");
  space::Directive directive{wished.value_or(space::Backend::Lsa), space::Placement::Deferred,
                             space::SyncScope::Barrier, space::Issuer::Cta, space::kWholeMessage};
  std::vector<std::string> reasons;
  for (const space::Violation& violation : space::check(site, directive, original.profile))
    reasons.push_back(violation.reason);
  return reasons.empty() ? "an exchange is converted as a whole or not at all" : join(reasons, "; ");
}

Error nothing_to_convert(const Original& original, std::optional<space::Backend> wished) {
  if (original.sites.empty()) return Error{"the program has no communication; there is nothing to convert"};
  std::string text;
  for (const space::SiteFacts& site : original.sites)
    text += concat(site.location, ": error: ", site.name, " ", site.callee,
                   " cannot be converted: ", reasons_of(original, site, wished), "\n");
  return Error{text + "no rule converts any site of the region; a model can be asked to rewrite the program instead"};
}

std::vector<evaluate::SourceFile> candidate_of(const Original& original, const rewrite::Rewritten& rewritten) {
  std::vector<evaluate::SourceFile> files = original.request.baseline;
  for (size_t i = 0; i < files.size() && i < rewritten.sources.size(); i++) files[i].text = rewritten.sources[i].text;
  return files;
}

Result<evaluate::Verdict> verify(const Original& original, const rewrite::Rewritten& rewritten, bool with_nvcc) {
  evaluate::EvaluationRequest request = original.request;
  request.candidate = candidate_of(original, rewritten);
  request.parent = request.candidate;
  request.rewritten = true;
  request.with_nvcc = request.with_nvcc && with_nvcc;
  return evaluate::evaluate(request);
}

Result<rewrite::Proof> proof_of(const TransformOptions& options, const Original& original, const space::Plan& plan,
                                const rewrite::Rewritten& rewritten, const fs::path& folder, const Context& context) {
  std::vector<fs::path> files;
  for (const rewrite::Source& source : rewritten.sources) {
    files.push_back(folder / fs::path(source.path).filename());
    if (Status written = write_file(files.back(), source.text); !written) return written.error();
  }
  Result<AnalyzedProgram> after = analyze_program(parse_request(options.evaluation, original.request, files), context);
  if (!after) return after.error();
  return rewrite::prove(
      {original.analyzed.program, original.analyzed.graph, after->program, after->graph, plan, rewritten.kernels});
}

// All files or none: beside the program its plan, the proof and the verdict.
Status write_results(const fs::path& output, const rewrite::Rewritten& rewritten, const space::Plan& plan,
                     const rewrite::Proof& proof, const evaluate::Verdict& verdict) {
  auto beside = [&](const char* extension) { return fs::path(output).replace_extension(extension); };
  for (size_t i = 1; i < rewritten.sources.size(); i++) {
    fs::path path = output.parent_path() / fs::path(rewritten.sources[i].path).filename();
    if (Status written = write_file(path, rewritten.sources[i].text); !written) return written;
  }
  if (Status written = write_file(beside(".plan"), space::to_text(plan)); !written) return written;
  if (Status written = write_file(beside(".proof"), rewrite::to_text(proof)); !written) return written;
  if (Status written = write_file(beside(".verdict.json"), evaluate::to_json(verdict)); !written) return written;
  return write_file(output, rewritten.sources[0].text);
}

// Shows a stage's verdict; false when it did not pass.
bool report_stage(const std::string& stage, const evaluate::Verdict& verdict, Context& context) {
  context.out << stage << (verdict.passed() ? "verified, " : "REJECTED after ")
              << counted(verdict.schedules_run, "schedule");
  if (verdict.timing) context.out << ", " << verdict.timing->median_us << " us";
  if (verdict.timing && verdict.baseline_us) context.out << " (host-driven " << *verdict.baseline_us << ")";
  context.out << "\n";
  if (!verdict.passed()) context.out << evaluate::to_text(verdict);
  return verdict.passed();
}

Status run_stages(const TransformOptions& options, const Original& original, const space::Plan& plan,
                  Context& context) {
  rewrite::Request request{original.analyzed.program, original.analyzed.graph, original.sites, plan, original.sources};
  request.stage = rewrite::Stage::Windows;
  Result<rewrite::Rewritten> windows = rewrite::rewrite(request);
  if (!windows) return windows.error();
  Result<evaluate::Verdict> first = verify(original, *windows, false);
  if (!first) return first.error();
  if (!report_stage("stage A  windows and device communicator   ", *first, context)) {
    context.exit_code = kProgramFailed;
    return Done{};
  }
  request.stage = rewrite::Stage::Whole;
  Result<rewrite::Rewritten> whole = rewrite::rewrite(request);
  if (!whole) return whole.error();
  Result<evaluate::Verdict> second = verify(original, *whole, true);
  if (!second) return second.error();
  bool passed = report_stage("stage B  device-initiated communication     ", *second, context);
  Result<ScratchFolder> scratch = ScratchFolder::make("cuco-transform");
  if (!scratch) return scratch.error();
  Result<rewrite::Proof> proof = proof_of(options, original, plan, *whole, scratch->path(), context);
  if (!proof) return proof.error();
  context.out << rewrite::to_text(*proof);
  for (const std::string& note : options.explain ? whole->notes : std::vector<std::string>())
    context.out << "  " << note << "\n";
  if (!passed || !proof->holds()) {
    context.exit_code = kProgramFailed;
    context.out << "Nothing was written.\n";
    return Done{};
  }
  if (Status written = write_results(options.output, *whole, plan, *proof, *second); !written) return written;
  context.out << "written    " << options.output << ", with its .plan, .proof and .verdict.json\n";
  return Done{};
}

// Loads and stores reach no other node, and puts need a NIC between nodes: a workload that has the wrong layout for the
// backend gets the other one, unless the user says where it goes.
Result<TransformOptions> placed(TransformOptions options, Context& context) {
  bool own_layout = options.evaluation.nodes || !options.evaluation.profile.empty();
  if (options.backend == "auto" || own_layout) return options;
  Result<evaluate::EvaluationRequest> request = make_evaluation(options.evaluation, context);
  if (!request) return request.error();
  uint32_t ranks = request->configuration.rank_count;
  bool on_one_node = request->configuration.node_count == 1, wants_one_node = options.backend == "lsa";
  if (on_one_node == wants_one_node) return options;
  options.evaluation.nodes = wants_one_node ? 1 : ranks % 2 == 0 ? 2 : ranks;
  options.evaluation.profile = !wants_one_node ? "a100-2node-roce" : ranks <= 4 ? "a100x4-nvlink" : "h100x8-nvlink";
  context.out << "placed on " << counted(options.evaluation.nodes, "node") << " of " << options.evaluation.profile
              << " for " << options.backend << "\n";
  return options;
}

Status transform(const TransformOptions& asked, Context& context) {
  Result<TransformOptions> chosen = placed(asked, context);
  if (!chosen) return chosen.error();
  const TransformOptions& options = *chosen;
  if (options.with != "auto" && options.with != "rules")
    return Error{concat("cuco transform: error: --with ", options.with, ": this version converts by rules only")};
  Result<std::optional<space::Backend>> wished = wished_backend(options.backend);
  if (!wished) return wished.error();
  Result<Original> original = read_original(options, context);
  if (!original) return original.error();
  space::Plan plan = space::fast_path_plan(original->sites, original->profile, *wished);
  rewrite::Request request{original->analyzed.program, original->analyzed.graph, original->sites, plan,
                           original->sources};
  if (rewrite::device_sites(request).empty()) return nothing_to_convert(*original, *wished);
  context.out << options.evaluation.target << ", " << counted(original->sites.size(), "communication site") << ", "
              << original->request.configuration.rank_count << " ranks on "
              << counted(original->request.configuration.node_count, "node") << "\n";
  end_processes_on_interrupt();
  return run_stages(options, *original, plan, context);
}

}  // namespace

void add_transform(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<TransformOptions>();
  options->evaluation.command = "cuco transform";
  CLI::App* command = app.add_subcommand("transform", "Make a program's communication device-initiated, and prove it");
  add_program_choice(*command, options->evaluation);
  add_judging(*command, options->evaluation);
  command->add_option("--backend", options->backend, "lsa, gin, hybrid, or auto: by the profile's topology")
      ->capture_default_str();
  command->add_option("--with", options->with, "rules, or auto")->capture_default_str();
  command->add_option("-o,--output", options->output, "Where the program goes")->required()->type_name("FILE");
  command->add_flag("--explain", options->explain, "Say what was done to each site and buffer");
  command->footer(R"(Examples:
  cuco transform program.cu -n 4 --backend lsa -o device.cu
  cuco transform workloads/NAME --config small --backend gin -o device.cu --explain

First windows and the device communicator are put in and verified with the host's collectives still in place, then the
collectives are replaced and the result is verified again. Nothing is written unless both pass. Exit code 1 means that a
stage was rejected; exit code 2 that no rule applies, with the constructs that stand in the way.)");
  command->callback(
      [options, &chosen] { chosen = [options](Context& context) { return transform(*options, context); }; });
}

}  // namespace cuco::cli
