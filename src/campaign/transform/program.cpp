#include "base/files.h"
#include "base/scratch_folder.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "campaign/delivery.h"
#include "campaign/transform/transform.h"
#include "evaluate/text/original_lines.h"
#include "evaluate/text/rewritten_files.h"
#include "model/blockers.h"

namespace cuco::campaign {

namespace fs = std::filesystem;

namespace {

frontend::ParseRequest parse_request(const model::BuildFlags& flags, const std::vector<fs::path>& files) {
  frontend::ParseRequest parse;
  for (const fs::path& file : files) parse.files.push_back(file.string());
  parse.flags = flags;
  return parse;
}

std::vector<SourceFile> as_files(const std::vector<rewrite::Source>& sources) {
  std::vector<SourceFile> files;
  for (const rewrite::Source& source : sources) files.push_back({source.path, source.text});
  return files;
}

Result<std::vector<SourceFile>> candidate_of(const Original& original, const std::vector<rewrite::Source>& sources) {
  return evaluate::rewritten_files(original.request, as_files(original.sources), as_files(sources));
}

Result<Delivery> delivery_of(const TransformOptions& options, const Original& original,
                             const std::vector<SourceFile>& program) {
  return Delivery::make(original.request, program, options.output,
                        options.single_file ? Form::SingleFile : Form::Folder);
}

std::string judge_command(const EvaluationOptions& options, const fs::path& candidate, const Context& context) {
  return concat("cuco evaluate ", target_text(options), selection_text(options), " --candidate ",
                shell_word(candidate.string()), " --rewritten --seeds ", options.seeds, arguments_text(context));
}

// The rewritten program is nowhere but in this command: what it does wrong shows again when it is made again.
std::string transform_command(const TransformOptions& options, const Context& context) {
  std::string command = concat("cuco transform ", target_text(options.evaluation), selection_text(options.evaluation),
                               " --backend ", options.backend);
  if (!options.plan.empty()) command += concat(" --plan ", shell_word(options.plan));
  if (options.with != "auto") command += concat(" --with ", options.with);
  if (!options.models.model.empty()) command += concat(" --model ", shell_word(options.models.model));
  command += concat(" -o ", shell_word(options.output), options.single_file ? " --single-file" : "");
  return command + arguments_text(context);
}

}  // namespace

Result<Original> read_original(const TransformOptions& options, Context& context) {
  Result<evaluate::EvaluationRequest> request = describe_evaluation(options.evaluation, context);
  if (!request) return request.error();
  Result<evaluate::Workload> workload = find_workload(options.evaluation, context);
  if (!workload) return workload.error();
  request->repeat = transform_command(options, context);
  frontend::ParseRequest parse = parse_request(request->flags, workload->files);
  parse.flags.quote_folders.push_back(workload->folder.string());
  Result<AnalyzedProgram> analyzed = analyze_program(parse, context);
  if (!analyzed) return analyzed.error();
  if (analyzed->graph.sites.empty()) return Error{model::why_no_sites(analyzed->program)};
  Result<model::HardwareProfile> profile = evaluate::profile_of(request->configuration, *context.share / "profiles");
  if (!profile) return profile.error();
  profile->topology.nodes = request->configuration.node_count;
  profile->topology.ranks_per_node = request->configuration.rank_count / request->configuration.node_count;
  Original original{*request, *std::move(analyzed), {}, {}, *profile};
  original.sites = space::all_site_facts(original.analyzed.program, original.analyzed.graph);
  for (const model::ProgramFile& file : original.analyzed.program.files) {
    Result<std::string> text = read_file(file.path);
    if (!text) return text.error();
    original.sources.push_back({file.path, std::move(*text)});
  }
  return original;
}

Result<AnalyzedProgram> analyze_sources(const Original& original, const std::vector<rewrite::Source>& sources,
                                        const fs::path& folder, const Context& context) {
  const evaluate::EvaluationRequest& request = original.request;
  Result<std::vector<SourceFile>> candidate = candidate_of(original, sources);
  if (!candidate) return candidate.error();
  std::vector<fs::path> files;
  std::vector<std::string> names;
  for (const SourceFile& file : *candidate) {
    names.push_back(file.name);
    fs::path path = folder / file.name;
    std::error_code failure;
    fs::create_directories(path.parent_path(), failure);
    if (Status written = write_file(path, file.text); !written) return written.error();
    if (model::is_compiled(file.name)) files.push_back(path);
  }
  return analyze_program(parse_request(model::flags_of_copies(request.flags, names, folder, request.folder), files),
                         context);
}

Result<evaluate::Verdict> verify(const Original& original, const std::vector<rewrite::Source>& sources,
                                 bool with_nvcc) {
  evaluate::EvaluationRequest request = original.request;
  Result<std::vector<SourceFile>> candidate = candidate_of(original, sources);
  if (!candidate) return candidate.error();
  request.candidate = *std::move(candidate);
  request.parent = request.candidate;
  request.rewritten = true;
  request.with_nvcc = request.with_nvcc && with_nvcc;
  Result<evaluate::Verdict> verdict = evaluate::evaluate(request);
  if (verdict) evaluate::name_original_lines(*verdict, request.baseline, request.candidate);
  return verdict;
}

Result<Conversion> look_at_conversion(const Original& original, const Converted& converted, const Context& context) {
  Result<ScratchFolder> scratch = ScratchFolder::make("cuco-transform");
  if (!scratch) return scratch.error();
  Result<AnalyzedProgram> after = analyze_sources(original, converted.sources, scratch->path(), context);
  if (!after) return after.error();
  const AnalyzedProgram& before = original.analyzed;
  Conversion conversion;
  conversion.inferred =
      rewrite::infer_plan({before.program, before.graph, after->program, after->graph, converted.sources});
  evaluate::SeenTraffic traffic = converted.verdict.traffic.value_or(evaluate::SeenTraffic());
  rewrite::ProofInput input{before.program,
                            before.graph,
                            after->program,
                            after->graph,
                            converted.plan,
                            conversion.inferred,
                            {traffic.baseline, traffic.own, converted.verdict.schedules_run},
                            converted.asked};
  conversion.proof = converted.kernels ? rewrite::prove_by_rules(input, *converted.kernels) : rewrite::prove(input);
  return conversion;
}

Status hand_over(const TransformOptions& options, const Original& original, const Results& results, Context& context) {
  Result<std::vector<SourceFile>> candidate = candidate_of(original, results.sources);
  if (!candidate) return candidate.error();
  Result<Delivery> delivery = delivery_of(options, original, *candidate);
  if (!delivery) return delivery.error();
  delivery->add_beside(".plan", space::to_text(results.plan));
  delivery->add_beside(".proof", rewrite::to_text(results.proof));
  delivery->add_beside(".verdict.json", evaluate::to_json(results.verdict));
  if (Status written = delivery->write(); !written) return written;
  context.out << "written    " << join(delivery->listing(), "\n           ") << "\n";
  context.out << "build      " << delivery->build_command() << "\n";
  context.out << "judge      " << judge_command(options.evaluation, delivery->place(), context) << "\n";
  return Done{};
}

Status check_output(const TransformOptions& options, const Original& original) {
  Result<Delivery> delivery = delivery_of(options, original, original.request.baseline);
  if (!delivery) return delivery.error();
  for (const char* extension : {".plan", ".proof", ".verdict.json"}) delivery->add_beside(extension, "");
  return delivery->check();
}

}  // namespace cuco::campaign
