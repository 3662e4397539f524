// cuco transform: from a host-driven program to a device-initiated one, by rules.
#include <CLI/CLI.hpp>
#include <memory>

#include "base/files.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/program_input.h"
#include "model/profile.h"
#include "rewrite/rewrite.h"
#include "space/fast_path.h"

namespace cuco::cli {

namespace {

struct TransformOptions {
  frontend::ParseRequest program;
  std::string profile = "a100x4-nvlink";
  std::string backend = "auto";
  std::string output;
};

Result<std::vector<rewrite::Source>> read_sources(const model::Program& program) {
  std::vector<rewrite::Source> sources;
  for (const model::SourceFile& file : program.files) {
    Result<std::string> text = read_file(file.path);
    if (!text) return text.error();
    sources.push_back({file.path, std::move(*text)});
  }
  return sources;
}

void force_backend(space::Plan& plan, const std::string& backend) {
  for (space::SiteChoice& choice : plan.choices) {
    if (choice.directive.backend == space::Backend::Host) continue;
    if (backend == "lsa") choice.directive.backend = space::Backend::Lsa;
    if (backend == "gin") choice.directive.backend = space::Backend::Gin;
    if (backend == "hybrid") choice.directive.backend = space::Backend::Hybrid;
  }
}

Status transform(const TransformOptions& options, Context& context) {
  Result<AnalyzedProgram> analyzed = analyze_program(options.program, context);
  if (!analyzed) return analyzed.error();
  Result<model::HardwareProfile> profile = model::load_profile(*context.share / "profiles", options.profile);
  if (!profile) return profile.error();
  std::vector<space::SiteFacts> sites = space::all_site_facts(analyzed->program, analyzed->graph);
  space::Plan plan = space::fast_path_plan(sites, *profile);
  force_backend(plan, options.backend);
  Result<std::vector<rewrite::Source>> sources = read_sources(analyzed->program);
  if (!sources) return sources.error();
  Result<rewrite::Rewritten> rewritten =
      rewrite::rewrite({analyzed->program, analyzed->graph, sites, plan, *sources, rewrite::Stage::Whole, true});
  if (!rewritten) return rewritten.error();
  for (const std::string& note : rewritten->notes) context.out << note << "\n";
  return write_file(options.output, rewritten->sources[0].text);
}

}  // namespace

void add_transform(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<TransformOptions>();
  CLI::App* command = app.add_subcommand("transform", "Make a program's communication device-initiated");
  add_program_options(*command, options->program);
  command->add_option("--profile", options->profile, "Hardware, by name or path")->capture_default_str();
  command->add_option("--backend", options->backend, "lsa, gin, hybrid or auto")->capture_default_str();
  command->add_option("-o", options->output, "Where the program goes")->required();
  command->callback(
      [options, &chosen] { chosen = [options](Context& context) { return transform(*options, context); }; });
}

}  // namespace cuco::cli
