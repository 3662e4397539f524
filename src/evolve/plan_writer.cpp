#include "evolve/plan_writer.h"

#include <algorithm>
#include <optional>

#include "base/files.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "evaluate/text/rewritten_files.h"
#include "frontend/frontend.h"
#include "model/blockers.h"
#include "model/report.h"
#include "rewrite/evidence/slice_facts.h"
#include "rewrite/infer.h"
#include "rewrite/rewrite.h"
#include "space/fast_path.h"
#include "space/legality.h"

namespace cuco::evolve {

namespace fs = std::filesystem;

namespace {

const std::optional<space::Backend> kWishes[] = {std::nullopt, space::Backend::Lsa, space::Backend::Gin,
                                                 space::Backend::Hybrid};

Result<model::Program> parse(const evaluate::EvaluationRequest& request, const fs::path& folder) {
  frontend::ParseRequest parse;
  std::vector<std::string> names;
  for (const SourceFile& file : request.baseline) {
    fs::path path = folder / file.name;
    std::error_code failure;
    fs::create_directories(path.parent_path(), failure);
    if (failure) return Error{concat(path.parent_path().string(), ": cannot be made: ", failure.message())};
    if (Status written = write_file(path, file.text); !written) return written.error();
    if (model::is_compiled(file.name)) parse.files.push_back(path.string());
    names.push_back(file.name);
  }
  parse.flags = model::flags_of_copies(request.flags, names, folder, request.folder);
  parse.share = request.tools.share;
  return frontend::read_program(parse);
}

Result<model::HardwareProfile> placed_profile(const evaluate::EvaluationRequest& request) {
  const evaluate::Configuration& configuration = request.configuration;
  Result<model::HardwareProfile> profile = evaluate::profile_of(configuration, request.tools.share / "profiles");
  if (!profile) return profile;
  profile->topology.nodes = configuration.node_count;
  profile->topology.ranks_per_node = configuration.rank_count / configuration.node_count;
  return profile;
}

bool is_marked(const std::vector<rewrite::Source>& sources) {
  return std::any_of(sources.begin(), sources.end(), [](const rewrite::Source& source) {
    return source.text.find("EVOLVE-BLOCK-START") != std::string::npos;
  });
}

bool leaves_host(const space::Plan& plan) {
  return std::any_of(plan.choices.begin(), plan.choices.end(),
                     [](const space::SiteChoice& choice) { return choice.directive.backend != space::Backend::Host; });
}

std::string backends_of(const space::Plan& plan) {
  std::vector<std::string> names;
  for (const space::SiteChoice& choice : plan.choices) {
    std::string name = space::value_text(choice.directive, space::Dimension::Backend);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return join(names, " and ");
}

// Of the calls at `location`, "file:line:col".
std::optional<uint64_t> largest_message(const model::AccessTrace& trace, const std::string& location) {
  std::string place = location.substr(0, location.rfind(':'));
  std::optional<uint64_t> bytes;
  for (const std::vector<model::TracedStep>& steps : trace.ranks)
    for (const model::TracedStep& step : steps)
      if (!step.is_launch && rewrite::same_place(step.place, place))
        bytes = std::max(bytes.value_or(0), step.call.bytes);
  return bytes;
}

}  // namespace

Result<PlanWriter> PlanWriter::read(const evaluate::EvaluationRequest& request) {
  Result<ScratchFolder> scratch = ScratchFolder::make("cuco-analysis");
  if (!scratch) return scratch.error();
  // The scratch folder has a random name, and whatever names a place would differ from run to run.
  std::string prefix = scratch->path().string() + "/";
  Result<model::Program> program = parse(request, scratch->path());
  if (!program) return Error{replace_all(program.error().message, prefix, "")};
  Result<model::HardwareProfile> profile = placed_profile(request);
  if (!profile) return profile.error();
  PlanWriter writer;
  writer.request_ = request;
  writer.program_ = std::move(*program);
  writer.profile_ = std::move(*profile);
  for (model::ProgramFile& file : writer.program_.files) {
    Result<std::string> text = read_file(file.path);
    if (!text) return text.error();
    file.path = replace_all(file.path, prefix, "");
    writer.sources_.push_back({file.path, std::move(*text)});
  }
  writer.graph_ = model::build_comm_graph(writer.program_);
  writer.sites_ = space::all_site_facts(writer.program_, writer.graph_);
  return writer;
}

void PlanWriter::trace(const evaluate::EvaluationRequest& request) {
  request_.proofs = request.proofs;
  if (sites_.empty()) return;
  if (Result<model::AccessTrace> accesses = evaluate::trace_accesses(request)) accesses_ = std::move(*accesses);
}

Result<std::vector<SourceFile>> PlanWriter::write(const space::Plan& plan) const {
  return write(plan, rewrite::Stage::Whole, 1);
}

Result<std::vector<SourceFile>> PlanWriter::write_windows(uint32_t slices) const {
  return write(fast_path_plan(), rewrite::Stage::Windows, slices);
}

Result<std::vector<SourceFile>> PlanWriter::write(const space::Plan& plan, rewrite::Stage stage,
                                                  uint32_t slices) const {
  rewrite::Request request{program_, graph_, sites_, plan, sources_};
  request.stage = stage;
  request.compute_slices = slices;
  request.accesses = accesses_ ? &*accesses_ : nullptr;
  Result<rewrite::Rewritten> rewritten = rewrite::rewrite(request);
  if (!rewritten) return rewritten.error();
  return files_of(std::move(rewritten->sources));
}

Result<std::vector<SourceFile>> PlanWriter::files_of(std::vector<rewrite::Source> sources) const {
  auto as_files = [](const std::vector<rewrite::Source>& all) {
    std::vector<SourceFile> files;
    for (const rewrite::Source& source : all) files.push_back({source.path, source.text});
    return files;
  };
  return evaluate::rewritten_files(request_, as_files(sources_), as_files(sources));
}

Result<space::Plan> PlanWriter::infer(const std::vector<SourceFile>& files) const {
  Result<ScratchFolder> scratch = ScratchFolder::make("cuco-analysis");
  if (!scratch) return scratch.error();
  evaluate::EvaluationRequest request = request_;
  request.baseline = files;
  std::vector<rewrite::Source> sources;
  for (const SourceFile& file : files) sources.push_back({file.name, file.text});
  Result<model::Program> after = parse(request, scratch->path());
  if (!after) return Error{replace_all(after.error().message, scratch->path().string() + "/", "")};
  model::CommGraph graph = model::build_comm_graph(*after);
  return rewrite::infer_plan({program_, graph_, *after, graph, sources}).plan;
}

std::vector<store::Candidate> PlanWriter::fast_paths() const {
  std::vector<store::Candidate> candidates;
  std::vector<space::Plan> plans;
  for (const std::optional<space::Backend>& wished : kWishes) {
    space::Plan plan = space::fast_path_plan(sites_, profile_, wished);
    if (!leaves_host(plan) || std::find(plans.begin(), plans.end(), plan) != plans.end()) continue;
    plans.push_back(plan);
    Result<std::vector<SourceFile>> files = write(plan);
    if (!files) continue;
    store::Candidate candidate;
    candidate.proposer = "fast-path";
    candidate.intent = concat("The simplest device-initiated form, through ", backends_of(plan), ".");
    candidate.plan = space::to_text(plan);
    candidate.files = std::move(*files);
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

std::vector<store::Candidate> PlanWriter::marked() const {
  space::Plan plan;
  for (const space::SiteFacts& site : sites_) plan.choices.push_back({site.name, {}});
  if (is_marked(sources_)) return {};
  Result<std::vector<rewrite::Source>> sources = rewrite::marked({program_, graph_, sites_, plan, sources_});
  if (!sources || !is_marked(*sources)) return {};
  Result<std::vector<SourceFile>> files = files_of(*std::move(sources));
  if (!files) return {};
  store::Candidate candidate;
  candidate.proposer = "marked";
  candidate.intent = "The program as it is, with what may change marked.";
  candidate.plan = space::to_text(plan);
  candidate.files = std::move(*files);
  return {candidate};
}

space::Plan PlanWriter::fast_path_plan() const {
  for (const std::optional<space::Backend>& wished : kWishes) {
    space::Plan plan = space::fast_path_plan(sites_, profile_, wished);
    if (leaves_host(plan) && write(plan)) return plan;
  }
  return space::fast_path_plan(sites_, profile_);
}

std::string PlanWriter::analysis() const { return model::report_text(program_, graph_, false); }

std::vector<space::SiteFacts> PlanWriter::sized_sites() const {
  std::vector<space::SiteFacts> sites = sites_;
  for (space::SiteFacts& site : sites)
    if (!site.message_bytes && accesses_) site.message_bytes = largest_message(*accesses_, site.location);
  return sites;
}

std::string PlanWriter::reasons_against_fast_paths() const {
  if (sites_.empty()) return model::why_no_sites(program_);
  space::Plan plan = space::fast_path_plan(sites_, profile_);
  if (leaves_host(plan)) {
    Result<std::vector<SourceFile>> files = write(plan);
    return files ? "" : files.error().message;
  }
  std::string text;
  for (const space::SiteFacts& site : sites_) {
    std::string reasons = join(site.blockers, "; ");
    text += concat(site.location, ": error: ", site.name, " ", site.callee,
                   " cannot be converted: ", reasons.empty() ? "no backend is legal for it on this topology" : reasons,
                   "\n");
  }
  return text + "no rule converts any site of the region";
}

}  // namespace cuco::evolve
