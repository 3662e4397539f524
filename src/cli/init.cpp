// cuco init: writes a workload folder from a program as it is, and says what was found.
#include <CLI/CLI.hpp>
#include <memory>

#include "base/files.h"
#include "base/text.h"
#include "campaign/analyzed_program.h"
#include "campaign/layout.h"
#include "cli/command.h"
#include "cli/options.h"
#include "evaluate/plain/workload.h"
#include "model/profile.h"

namespace cuco::cli {

namespace {

namespace fs = std::filesystem;

struct InitOptions {
  frontend::ParseRequest program;
  std::string folder;
  std::string profile = "a100x4-nvlink";
  uint32_t ranks = 0;  // 0: as many as the profile has.
  uint32_t nodes = 0;
};

Status write_folder(const fs::path& folder, const evaluate::Draft& draft) {
  std::error_code error;
  if (fs::exists(folder / "workload.toml", error))
    return Error{concat((folder / "workload.toml").string(), ": error: a workload is there already; give another -o")};
  for (const auto& [name, text] : draft.files)
    if (fs::exists(folder / name, error))
      return Error{concat((folder / name).string(), ": error: is there already; give another -o")};
  fs::create_directories(folder, error);
  if (error) return Error{concat(folder.string(), ": error: the folder cannot be made: ", error.message())};
  for (const auto& [name, text] : draft.files)
    if (Status written = write_file(folder / name, text); !written) return written;
  return Done{};
}

Result<evaluate::DraftRequest> make_request(const InitOptions& options, const Context& context) {
  if (!context.share) return context.share.error();
  Result<model::HardwareProfile> profile = model::load_profile(*context.share / "profiles", options.profile);
  if (!profile) return profile.error();
  evaluate::DraftRequest request;
  request.program = options.program;
  request.program.share = *context.share;
  request.profile = options.profile;
  request.rank_count = options.ranks ? options.ranks : profile->topology.rank_count();
  request.node_count = options.nodes ? options.nodes : profile->topology.nodes;
  if (Status fine =
          campaign::check_layout("cuco init", request.rank_count, request.node_count, options.profile, *profile);
      !fine)
    return fine.error();
  return request;
}

Status init(const InitOptions& options, Context& context) {
  Result<evaluate::DraftRequest> request = make_request(options, context);
  if (!request) return request.error();
  fs::path folder = options.folder.empty() ? fs::path(options.program.files.front()).stem() : fs::path(options.folder);
  request->name = fs::absolute(folder).lexically_normal().filename().string();
  Result<evaluate::Draft> draft = evaluate::draft_workload(*request);
  if (!draft) return draft.error();
  if (Status written = write_folder(folder, *draft); !written) return written;
  context.out << draft->found << "written  " << folder.string() << "/{";
  std::vector<std::string> names;
  for (const auto& [name, text] : draft->files) names.push_back(name);
  context.out << join(names, ",") << "}\n";
  return Done{};
}

}  // namespace

void add_init(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<InitOptions>();
  CLI::App* command = app.add_subcommand("init", "Write a workload folder from a program as it is");
  add_program_options(*command, options->program);
  command->add_option("-o,--output", options->folder, "The folder (default: the program's name)")->type_name("FOLDER");
  add_layout(*command, options->ranks, options->nodes, "the profile");
  command->add_option("--profile", options->profile, "Hardware, by name or path")->capture_default_str();
  command->footer(R"(Examples:
  cuco init program.cu -o workloads/mine -n 4
  cuco init main.cpp kernels.cu -I include --profile a100-2node-roce

The harness is put around the timed region where the program's text allows it; else the workload is plain and the
output says why. Exit code 2 when the program communicates nothing, has no timed region or no outputs.)");
  command->callback([options, &chosen] { chosen = [options](Context& context) { return init(*options, context); }; });
}

}  // namespace cuco::cli
