// cuco init: writes a workload folder from a program as it is, and says what was found.
#include <CLI/CLI.hpp>
#include <memory>

#include "base/files.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "campaign/analyzed_program.h"
#include "campaign/evaluation_request.h"
#include "campaign/layout.h"
#include "cli/command.h"
#include "cli/options.h"
#include "evaluate/plain/workload.h"
#include "evaluate/sandbox.h"
#include "model/profile.h"

namespace cuco::cli {

namespace {

namespace fs = std::filesystem;

struct InitOptions {
  frontend::ParseRequest program;
  std::string folder;
  std::string profile;  // Empty: usual_profile().
  uint32_t ranks = 0;   // 0: as many as the profile has.
  uint32_t nodes = 0;
  bool plain = false;
};

Status write_folder(const fs::path& folder, const evaluate::Draft& draft) {
  std::error_code error;
  if (fs::exists(folder / "workload.toml", error))
    return Error{concat((folder / "workload.toml").string(), ": error: a workload is there already; give another -o")};
  for (const auto& [name, text] : draft.files)
    if (fs::exists(folder / name, error))
      return Error{concat((folder / name).string(), ": error: is there already; give another -o")};
  for (const auto& [name, text] : draft.files) {
    fs::create_directories((folder / name).parent_path(), error);
    if (error) return Error{concat(folder.string(), ": error: the folder cannot be made: ", error.message())};
    if (Status written = write_file(folder / name, text); !written) return written;
  }
  return Done{};
}

Result<evaluate::DraftRequest> make_request(const InitOptions& options, const Context& context) {
  if (!context.share) return context.share.error();
  Result<model::HardwareProfile> profile = model::load_profile(*context.share / "profiles", options.profile);
  if (!profile) return profile.error();
  evaluate::DraftRequest request;
  request.program = options.program;
  request.program.share = *context.share;
  request.arguments = context.trailing;
  if (options.plain) request.why_plain = "as asked for";
  request.profile = options.profile;
  request.rank_count = options.ranks ? options.ranks : profile->topology.rank_count();
  request.node_count = options.nodes ? options.nodes : profile->topology.nodes;
  if (Status fine =
          campaign::check_layout("cuco init", request.rank_count, request.node_count, options.profile, *profile);
      !fine)
    return fine.error();
  return request;
}

// Why the drafted workload does not pass by itself under its harness. Empty: it does, or it takes too long to say, or
// there is no sandbox to try it in.
Result<std::string> fault_under_harness(const evaluate::Draft& draft, Context& context) {
  if (!evaluate::check_sandbox(context.processes)) return std::string();
  Result<ScratchFolder> scratch = ScratchFolder::make("cuco-init");
  if (!scratch) return scratch.error();
  if (Status written = write_folder(scratch->path() / "workload", draft); !written) return written.error();
  campaign::EvaluationOptions options;
  options.command = "cuco init";
  options.targets = {(scratch->path() / "workload").string()};
  options.seeds = 1;
  options.as_it_is = options.no_nvcc = options.no_cache = true;
  Context own{context.out, context.err, false, context.processes, context.environment, context.share};
  Result<evaluate::EvaluationRequest> request = campaign::make_evaluation(options, own);
  if (!request) return request.error();
  campaign::end_processes_on_interrupt();
  Result<evaluate::Capture> outputs = evaluate::baseline_outputs(*request);
  bool is_limit = !outputs && outputs.error().message.find(": limit: ") != std::string::npos;
  return outputs || is_limit ? std::string() : split(outputs.error().message, '\n').front();
}

// With the harness where it passes with it, else plain.
Result<evaluate::Draft> draft_that_passes(evaluate::DraftRequest request, Context& context) {
  Result<evaluate::Draft> draft = evaluate::draft_workload(request);
  if (!draft || !draft->has_harness) return draft;
  Result<std::string> fault = fault_under_harness(*draft, context);
  if (!fault) return fault.error();
  if (fault->empty()) return draft;
  request.why_plain = concat("under it, ", *fault);
  return evaluate::draft_workload(request);
}

Status init(const InitOptions& options, Context& context) {
  Result<evaluate::DraftRequest> request = make_request(options, context);
  if (!request) return request.error();
  fs::path folder = options.folder.empty() ? fs::path(options.program.files.front()).stem() : fs::path(options.folder);
  request->name = fs::absolute(folder).lexically_normal().filename().string();
  Result<evaluate::Draft> draft = draft_that_passes(*request, context);
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
  command
      ->add_option("--profile", options->profile,
                   "Hardware, by name or path (default: a100x4-nvlink, or h100x8-nvlink for more ranks)")
      ->type_name("PROFILE");
  command->add_flag("--plain", options->plain, "Leave the program as it is, without the harness");
  command->footer(R"(Examples:
  cuco init program.cu -o workloads/mine -n 4
  cuco init main.cpp kernels.cu -I include --profile a100-2node-roce -- --size 4096

The harness is put around the timed region where the program's text allows it; else the workload is plain and the
output says why. Exit code 2 when the program communicates nothing, has no timed region or no outputs.)");
  command->callback([options, &chosen] {
    if (options->profile.empty()) options->profile = campaign::usual_profile(options->ranks, options->nodes);
    chosen = [options](Context& context) { return init(*options, context); };
  });
}

}  // namespace cuco::cli
