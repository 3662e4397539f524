// cuco space: the legal ways to make each site of a program communicate on a given machine.
#include <CLI/CLI.hpp>
#include <memory>

#include "base/text.h"
#include "campaign/analyzed_program.h"
#include "cli/command.h"
#include "cli/options.h"
#include "model/profile.h"
#include "space/facts.h"
#include "space/report.h"

namespace cuco::cli {

namespace {

using space::SiteFacts;

struct SpaceRequest {
  frontend::ParseRequest program;
  std::string profile;
  std::string site;  // "s1"; empty for all.
  bool json = false;
};

Result<std::vector<SiteFacts>> select_sites(const std::vector<SiteFacts>& sites, const std::string& wanted) {
  if (wanted.empty()) return sites;
  std::vector<std::string> names;
  for (const SiteFacts& site : sites) {
    if (site.name == wanted) return std::vector<SiteFacts>{site};
    names.push_back(site.name);
  }
  return Error{concat(wanted, ": no such site; the program has ", names.empty() ? "none" : join(names, ", "))};
}

Status show_space(const SpaceRequest& request, Context& context) {
  if (!context.share) return context.share.error();
  Result<model::HardwareProfile> profile = model::load_profile(*context.share / "profiles", request.profile);
  if (!profile) return profile.error();
  Result<campaign::AnalyzedProgram> analyzed = campaign::analyze_program(request.program, context);
  if (!analyzed) return analyzed.error();
  std::vector<SiteFacts> all = space::all_site_facts(analyzed->program, analyzed->graph);
  Result<std::vector<SiteFacts>> sites = select_sites(all, request.site);
  if (!sites) return sites.error();
  context.out << (request.json ? space::space_json(*sites, *profile) : space::space_text(*sites, *profile));
  return Done{};
}

}  // namespace

void add_space(CLI::App& app, Action& chosen) {
  auto request = std::make_shared<SpaceRequest>();
  CLI::App* command =
      app.add_subcommand("space", "Show the legal ways to communicate, site by site, and why not others");
  add_program_options(*command, request->program);
  command->add_option("--profile", request->profile, "Hardware: a name that 'cuco profiles' lists, or a .toml file")
      ->required()
      ->type_name("PROFILE");
  command->add_option("--site", request->site, "Only this site, by the name that 'cuco analyze' gives it")
      ->type_name("SITE");
  command->add_flag("--json", request->json, "Print every legal directive and every refusal as JSON");
  command->footer(R"(Examples:
  cuco space program.cu --profile a100x4-nvlink
  cuco space program.cu --profile h200-mps4 --site s1
  cuco space program.cu --profile ./my-cluster.toml --json)");
  command->callback(
      [request, &chosen] { chosen = [request](Context& context) { return show_space(*request, context); }; });
}

}  // namespace cuco::cli
