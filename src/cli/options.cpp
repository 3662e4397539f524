#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/text.h"
#include "campaign/compile_commands.h"

namespace cuco::cli {

namespace {

constexpr int kRanksMax = 4096;

constexpr const char* kOneDashNames[] = {"-isystem", "-iquote", "-include"};

void add_list(CLI::App& command, const std::string& name, std::vector<std::string>& list, const std::string& help,
              const std::string& type) {
  command.add_option(name, list, help)->type_name(type)->allow_extra_args(false);
}

void add_build_flags(CLI::App& command, model::BuildFlags& flags) {
  add_list(command, "-I", flags.include_folders, "Look for included files there too; may be repeated", "DIR");
  add_list(command, "--isystem", flags.system_include_folders, "Likewise, after all -I; also -isystem DIR", "DIR");
  add_list(command, "--iquote", flags.quote_folders, "Likewise, for #include \"...\" alone; also -iquote DIR", "DIR");
  add_list(command, "-D", flags.definitions, "Define a macro, as for a compiler; may be repeated", "NAME[=VALUE]");
  add_list(command, "-U", flags.undefinitions, "Undefine a macro; may be repeated", "NAME");
  add_list(command, "--include", flags.forced_includes, "Include a file before each source; also -include FILE",
           "FILE");
  command
      .add_option_function<std::vector<std::string>>(
          "--std",
          [&flags](const std::vector<std::string>& standards) {
            for (const std::string& standard : standards) model::set_standard(flags, standard);
          },
          concat("Language standard, such as c++20, or c11 for .c files; also -std=STANDARD [", flags.standard, "]"))
      ->type_name("STANDARD")
      ->allow_extra_args(false);
  add_list(command, "-l", flags.libraries, "Link with a library of this machine; may be repeated", "NAME");
  add_list(command, "-L", flags.library_folders, "Look for libraries there too; may be repeated", "DIR");
  add_list(command, "--nvcc-option", flags.nvcc_options,
           "A word for nvcc alone. Words of your own compiler's line may stay as they are: those about code (-O3, "
           "-arch=sm_90) are left out, those that nvcc needs (--extended-lambda, -rdc=true) are kept for it",
           "WORD");
  command
      .add_option("--region", flags.region, "What is timed: FILE:FIRST-LAST lines, or a FUNCTION; found unless given")
      ->type_name("PLACE");
}

}  // namespace

std::vector<std::string> with_long_options(const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  for (const std::string& argument : arguments) {
    auto name = std::ranges::find_if(kOneDashNames, [&](const char* each) { return argument.starts_with(each); });
    if (name == std::end(kOneDashNames)) {
      words.push_back(argument);
      continue;
    }
    words.push_back(concat("-", *name));
    if (argument != *name) words.push_back(argument.substr(std::string_view(*name).size()));
  }
  return words;
}

void add_sources(CLI::App& command, std::vector<std::string>& files, model::BuildFlags& flags,
                 const std::string& what) {
  CLI::Option* given = command.add_option("PROGRAM", files, what)->required()->type_name("FILE");
  add_build_flags(command, flags);
  auto database = std::make_shared<std::string>();
  command
      .add_option_function<std::string>(
          "-p",
          [given, database](const std::string& folder) {
            *database = folder;
            given->required(false);
          },
          "Folder with compile_commands.json: flags of each file, and files if none are given")
      ->type_name("DIR");
  // When all options are read. CLI11 takes refusals as exceptions alone, and catches them.
  command.parse_complete_callback([&files, &flags, database] {
    if (database->empty()) return;
    if (Status taken = campaign::take_compile_commands(*database, files, flags); !taken)
      throw CLI::ValidationError("-p", taken.error().message);
  });
}

void add_program_options(CLI::App& command, frontend::ParseRequest& request) {
  add_sources(command, request.files, request.flags,
              "Source files of one program: .cu, .cpp, .cc, .cxx and .c, any mix");
}

void add_layout(CLI::App& command, uint32_t& ranks, uint32_t& nodes, const std::string& otherwise) {
  command.add_option("-n,--ranks", ranks, concat("Ranks (default: those of ", otherwise, ")"))
      ->check(CLI::Range(1, kRanksMax));
  command.add_option("--nodes", nodes, concat("Nodes they are spread over (default: those of ", otherwise, ")"))
      ->check(CLI::Range(1, kRanksMax));
}

void add_program_choice(CLI::App& command, campaign::EvaluationOptions& options) {
  command.add_option("--config", options.configuration, "Configuration of the workload (default: its first)")
      ->type_name("NAME");
  command
      .add_option("--proof", options.proofs,
                  "A small size at which candidates are executed whole, such as \"m=128 n=64\"; may be repeated "
                  "(default: sizes are found)")
      ->type_name("SIZE")
      ->allow_extra_args(false);
  add_layout(command, options.ranks, options.nodes, "the workload or the profile");
  command
      .add_option("--profile", options.profile, "Hardware, by name or path (default: the workload's, or a100x4-nvlink, or h100x8-nvlink for more ranks)")
      ->type_name("PROFILE");
  command
      .add_option("--network", options.network,
                  "Bandwidth and latency between nodes, such as 12.5GB/s,10us (default: the profile's)")
      ->type_name("RATE,TIME");
  add_sources(command, options.targets, options.flags, "A workload's folder, or the source files of a program");
}

void add_candidate_choice(CLI::App& command, campaign::EvaluationOptions& options) {
  command
      .add_option("--candidate", options.candidate,
                  "The text to judge: a file, or a folder with some of the files, such as best/ of a run")
      ->type_name("FILE|FOLDER");
  command.add_option("--parent", options.parent, "Whose frozen text the candidate keeps (default: the baseline)")
      ->type_name("FILE");
  command.add_flag("--rewritten", options.rewritten, "The candidate is cuco's own rewriting: frozen text may differ");
}

void add_data_choice(CLI::App& command, campaign::EvaluationOptions& options) {
  command
      .add_option("--input-key", options.input_key,
                  "What inputs are drawn from, 64 hexadecimal digits (default: this machine's)")
      ->type_name("HEX");
  command.add_flag("--allow-lossy", options.allow_lossy, "What the original only moves may arrive with fewer bits");
}

void add_run_limits(CLI::App& command, campaign::EvaluationOptions& options) {
  command.add_option("--limit", options.time_limit_s, "Seconds of processor time for one run")->capture_default_str();
  command.add_option("--memory", options.memory_gib, "GiB of memory for one run")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
}

void add_judging(CLI::App& command, campaign::EvaluationOptions& options) {
  command.add_option("--on", options.executor, "What runs it: vcluster, mpi (a GPU a rank) or one-gpu (shared)")
      ->capture_default_str();
  command.add_option("--seeds", options.seeds, "Verify with so many inputs, each under another schedule")
      ->capture_default_str();
  command.add_option("--seed", options.seed, "The first of them")->capture_default_str();
  add_data_choice(command, options);
  command
      .add_option("--calls", options.calls,
                  "Call the region at least so often in each, 20 or more (default: 20, or 5 where calls do much work)")
      ->check(CLI::Range(20, 1'000'000));
  add_run_limits(command, options);
  command.add_option("--jobs", options.jobs, "Processes at a time (default: the cores there are)");
  command.add_flag("--no-nvcc", options.no_nvcc, "Do not also build with nvcc where it is found");
  command.add_flag("--no-sandbox", options.no_sandbox, "Run the program with your own rights; only for text you trust");
  command.add_option("--cache", options.cache, "Folder of earlier verdicts (default: $XDG_CACHE_HOME/cuco)")
      ->type_name("DIR");
  command.add_flag("--no-cache", options.no_cache, "Neither use nor keep verdicts");
  command.add_flag("--json", options.json, "Print the verdict as JSON");
}

void add_gpu_choice(CLI::App& command, campaign::GpuOptions& options) {
  command.add_option("--iterations", options.iterations, "On GPUs: time so many, after two of warm-up")
      ->capture_default_str();
  command.add_option("--hosts", options.hosts, "On mpi: one host a line, with slots=N (default: this machine)")
      ->type_name("FILE");
  command
      .add_option("--launcher", options.launcher,
                  "On GPUs: what starts ranks, with {ranks}, {hosts}, {environment}, {program}")
      ->type_name("LINE");
  command.add_option("--device", options.device, "On one-gpu: which of them")->capture_default_str();
  command.add_option("--ctas", options.collective_ctas_max, "On GPUs: NCCL_MAX_CTAS")->capture_default_str();
}

void add_run_choice(CLI::App& command, campaign::RunChoice& choice) {
  command.add_option("--jobs", choice.jobs, "Processes at a time (default: the cores there are)");
  command.add_option("--cache", choice.cache, "Folder of earlier verdicts (default: $XDG_CACHE_HOME/cuco)")
      ->type_name("DIR");
  command.add_flag("--single-file", choice.single_file, "Write the best as one file with cuco's headers in it");
  command.add_flag("--json", choice.json, "Print the summary as JSON");
}

void add_run_option(CLI::App& command, std::string& run) {
  command.add_option("RUN", run, "A run folder, or the name of one under ./runs")->required();
}

}  // namespace cuco::cli
