#include "campaign/evaluation_request.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <mutex>
#include <thread>

#include "base/common_folder.h"
#include "base/files.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "campaign/analyzed_program.h"
#include "campaign/layout.h"
#include "evaluate/input_key.h"
#include "evaluate/sandbox.h"
#include "evaluate/sizes/proof_sizes.h"
#include "evaluate/text/included_files.h"
#include "evaluate/text/rewritten_files.h"
#include "model/flags_on_top.h"
#include "model/network.h"

namespace cuco::campaign {

namespace fs = std::filesystem;

namespace {

Error usage(const EvaluationOptions& options, const std::string& what) {
  return Error{concat(options.command, ": error: ", what)};
}

bool includes_harness(const std::vector<SourceFile>& files) {
  return std::any_of(files.begin(), files.end(),
                     [](const SourceFile& file) { return file.text.find("cuco/harness.h") != std::string::npos; });
}

// A program without a workload folder: one configuration, the arguments after "--" are its own.
Result<evaluate::Workload> workload_of_program(const EvaluationOptions& options, const Context& context) {
  evaluate::Workload workload;
  std::vector<std::string> own = options.targets;
  for (const std::string& folder : options.flags.include_folders)
    if (fs::path(folder).is_relative()) own.push_back((fs::path(folder) / "header").string());
  for (const fs::path& header : evaluate::reached_headers(options.targets, options.flags.include_folders))
    if (common_folder({options.targets.front(), header.string()}).has_relative_path()) own.push_back(header.string());
  workload.folder = common_folder(own);
  workload.name = fs::path(options.targets.front()).filename().string();
  workload.files.assign(options.targets.begin(), options.targets.end());
  evaluate::Configuration configuration;
  configuration.profile = options.profile.empty() ? usual_profile(options.ranks, options.nodes) : options.profile;
  Result<model::HardwareProfile> profile = model::load_profile(*context.share / "profiles", configuration.profile);
  if (!profile) return profile.error();
  configuration.name = "default";
  configuration.node_count = profile->topology.nodes;
  configuration.rank_count = profile->topology.rank_count();
  workload.configurations.push_back(configuration);
  return workload;
}

Result<evaluate::Configuration> laid_out(const EvaluationOptions& options, const fs::path& profiles,
                                         evaluate::Configuration chosen) {
  if (options.ranks) chosen.rank_count = options.ranks;
  if (options.nodes) chosen.node_count = options.nodes;
  if (!options.profile.empty()) chosen.profile = options.profile;
  Result<std::optional<model::Network>> network = network_choice(options);
  if (!network) return network.error();
  chosen.network = *network;
  Result<model::HardwareProfile> profile = model::load_profile(profiles, chosen.profile);
  if (!profile) return profile.error();
  // What a workload states as a whole is its own affair.
  bool is_own = !chosen.file.empty() && !options.ranks && !options.nodes && options.profile.empty();
  Status fits = check_layout(options.command, chosen.rank_count, chosen.node_count, chosen.profile, *profile);
  if (!fits && !is_own) return fits.error();
  return chosen;
}

Result<evaluate::Configuration> choose_configuration(const EvaluationOptions& options,
                                                     const evaluate::Workload& workload, const fs::path& profiles) {
  evaluate::Configuration chosen = workload.configurations.front();
  if (!options.configuration.empty()) {
    Result<evaluate::Configuration> found = evaluate::find_configuration(workload, options.configuration);
    if (!found) return found.error();
    chosen = *found;
  }
  return laid_out(options, profiles, chosen);
}

Result<std::vector<SourceFile>> read_files(const evaluate::Workload& workload) {
  std::vector<SourceFile> files;
  for (const fs::path& path : workload.files) {
    Result<std::string> text = read_file(path);
    if (!text) return text.error();
    fs::path folder = fs::absolute(workload.folder).lexically_normal();
    files.push_back({fs::absolute(path).lexically_normal().lexically_relative(folder).string(), *text});
  }
  return files;
}

// A candidate is the file that replaces the program's first one, or a folder with any of the program's files.
Result<std::vector<SourceFile>> replaced(std::vector<SourceFile> files, const fs::path& by) {
  if (!fs::is_directory(by)) {
    Result<std::string> text = read_file(by);
    if (!text) return text.error();
    files[0].text = *text;
    return files;
  }
  size_t found = 0;
  for (SourceFile& file : files) {
    if (!fs::exists(by / file.name)) continue;
    Result<std::string> text = read_file(by / file.name);
    if (!text) return text.error();
    file.text = *text;
    found++;
  }
  if (found == 0) return Error{concat(by.string(), ": holds none of the program's files, such as ", files[0].name)};
  return files;
}

Status check_same(const fs::path& candidate, const std::vector<SourceFile>& headers, const fs::path& folder) {
  for (const SourceFile& header : headers) {
    Result<std::string> text = read_file(candidate / header.name);
    if (text && *text != header.text)
      return Error{concat((candidate / header.name).string(), ": differs from ", (folder / header.name).string(),
                          ", which candidates are built with; a candidate changes the program's files alone")};
  }
  return Done{};
}

// Headers beside the files that a candidate changes would be passed over in silence.
Status check_headers(const fs::path& candidate, const evaluate::EvaluationRequest& request) {
  const fs::path &folder = request.folder, &share = request.tools.share;
  Result<evaluate::CarriedHeaders> headers = evaluate::carried_headers(request.candidate, folder, share);
  if (!headers) return headers.error();
  if (Status fine = check_same(candidate, headers->own, folder); !fine) return fine;
  return check_same(candidate, headers->library, share / "device");
}

// cuco's own rewriting changes headers too, where calls stand in them.
Status take_headers(const fs::path& candidate, evaluate::EvaluationRequest& request) {
  Result<std::vector<SourceFile>> files = evaluate::with_headers_of(request, request.candidate, candidate);
  if (!files) return files.error();
  if (files->size() > request.candidate.size()) request.parent = *files;
  request.candidate = *std::move(files);
  return Done{};
}

// How the program is built and how far it may go, as typed.
std::string build_text(const EvaluationOptions& options) {
  std::string text = model::typed_text(options.flags, shell_word);
  const EvaluationOptions usual;
  if (options.time_limit_s != usual.time_limit_s) text += concat(" --limit ", options.time_limit_s);
  if (options.memory_gib != usual.memory_gib) text += concat(" --memory ", options.memory_gib);
  return text;
}

std::string repeat_command(const EvaluationOptions& options, const evaluate::Configuration& configuration,
                           const std::string& input_key, const Context& context) {
  std::string command = concat("cuco evaluate ", target_text(options));
  if (!options.candidate.empty()) command += concat(" --candidate ", shell_word(options.candidate));
  if (!options.parent.empty()) command += concat(" --parent ", shell_word(options.parent));
  if (options.rewritten) command += " --rewritten";
  if (!configuration.file.empty()) command += concat(" --config ", shell_word(configuration.name));
  bool own_layout = options.ranks || options.nodes || !options.profile.empty();
  if (configuration.file.empty() || own_layout)
    command += concat(" -n ", configuration.rank_count, " --nodes ", configuration.node_count, " --profile ",
                      shell_word(configuration.profile));
  if (configuration.network) command += concat(" --network ", model::to_text(*configuration.network));
  command += build_text(options);
  if (options.allow_lossy) command += " --allow-lossy";
  if (options.no_sandbox) command += " --no-sandbox";
  command += concat(" --input-key ", input_key);
  if (options.calls > 0) command += concat(" --calls ", options.calls);
  return command + arguments_text(context);
}

Status read_program(const EvaluationOptions& options, const evaluate::Workload& workload,
                    evaluate::EvaluationRequest& request) {
  Result<std::vector<SourceFile>> baseline = read_files(workload);
  if (!baseline) return baseline.error();
  request.baseline = request.parent = request.candidate = *baseline;
  if (!options.parent.empty()) {
    Result<std::vector<SourceFile>> parent = replaced(*baseline, options.parent);
    if (!parent) return parent.error();
    request.parent = *parent;
  }
  if (!options.candidate.empty()) {
    Result<std::vector<SourceFile>> candidate = replaced(request.parent, options.candidate);
    if (!candidate) return candidate.error();
    request.candidate = *candidate;
  }
  request.plain = workload.plain || !includes_harness(*baseline);
  request.folder = fs::absolute(workload.folder).lexically_normal();
  if (!request.folder.has_filename()) request.folder = request.folder.parent_path();
  request.start_folder = fs::current_path();
  request.flags = model::on_top(options.flags, workload.flags);
  if (!fs::is_directory(options.candidate)) return Done{};
  if (options.rewritten)
    if (Status taken = take_headers(options.candidate, request); !taken) return taken;
  return check_headers(options.candidate, request);
}

Result<std::string> input_key_for(const EvaluationOptions& options, const Context& context) {
  if (options.input_key.empty()) return evaluate::machine_input_key(cache_folder(options.cache, context));
  if (evaluate::is_input_key(options.input_key)) return options.input_key;
  return usage(options, concat("--input-key ", options.input_key, ": it is 64 hexadecimal digits, 0 to 9 and a to f"));
}

constexpr unsigned kGraceSeconds = 10;

void end_at_once(int) { _exit(kCannotServe); }

// Running programs are ended and what there is is kept, which takes moments. Whatever takes longer is not waited for,
// nor is anything when asked a second time.
void interrupt(int) {
  if (processes_interrupted()) end_at_once(0);
  interrupt_processes();
  alarm(kGraceSeconds);
}

}  // namespace

Result<std::optional<model::Network>> network_choice(const EvaluationOptions& options) {
  if (options.network.empty()) return std::optional<model::Network>();
  Result<model::Network> network = model::parse_network(options.network);
  if (!network) return usage(options, concat("--network ", network.error().message));
  return std::optional(*network);
}

std::string target_text(const EvaluationOptions& options) { return shell_words(options.targets); }

std::string selection_text(const EvaluationOptions& options) {
  std::string text;
  if (!options.configuration.empty()) text += concat(" --config ", shell_word(options.configuration));
  if (options.ranks) text += concat(" -n ", options.ranks);
  if (options.nodes) text += concat(" --nodes ", options.nodes);
  if (!options.profile.empty()) text += concat(" --profile ", shell_word(options.profile));
  if (!options.network.empty()) text += concat(" --network ", shell_word(options.network));
  for (const std::string& proof : options.proofs) text += concat(" --proof ", shell_word(proof));
  text += build_text(options);
  if (options.no_nvcc) text += " --no-nvcc";
  if (options.allow_lossy) text += " --allow-lossy";
  if (!options.input_key.empty()) text += concat(" --input-key ", options.input_key);
  return text;
}

std::string arguments_text(const Context& context) {
  std::string text;
  for (const std::string& argument : context.trailing)
    text += concat(text.empty() ? " -- " : " ", shell_word(argument));
  return text;
}

fs::path cache_folder(const std::string& wished, const Context& context) {
  return wished.empty() ? evaluate::default_cache_folder(context.environment) : fs::path(wished);
}

uint32_t job_count(uint32_t wished) { return wished ? wished : std::max(1u, std::thread::hardware_concurrency()); }

Result<evaluate::Workload> find_workload(const EvaluationOptions& options, const Context& context) {
  for (const std::string& target : options.targets) {
    if (fs::is_directory(target) && options.targets.size() > 1)
      return usage(options, concat(target, " is a folder: give one workload's folder, or the files of a program"));
  }
  const std::string& first = options.targets.front();
  if (!fs::exists(first)) return Error{concat(first, ": no such workload folder or program")};
  if (Status there = check_sources(options.targets); !there) return there.error();
  return fs::is_directory(first) ? evaluate::load_workload(first) : workload_of_program(options, context);
}

std::function<void(const std::string&)> progress_lines(std::ostream& err) {
  if (isatty(STDERR_FILENO) != 1) return {};
  auto lock = std::make_shared<std::mutex>();
  return [&err, lock](const std::string& what) {
    std::lock_guard<std::mutex> guard(*lock);
    err << what << "...\n" << std::flush;
  };
}

Result<evaluate::EvaluationRequest> describe_evaluation(const EvaluationOptions& options, Context& context) {
  if (!context.share) return context.share.error();
  if (options.executor != "vcluster")
    return usage(options, concat("--on ", options.executor, ": this command runs candidates on vcluster only"));
  if (options.seeds == 0) return usage(options, "--seeds must be at least 1");
  if (options.seed == 0) return usage(options, "--seed must be at least 1; 0 is the timed run's");
  Result<evaluate::Workload> workload = find_workload(options, context);
  if (!workload) return workload.error();
  Result<evaluate::Configuration> configuration = choose_configuration(options, *workload, *context.share / "profiles");
  if (!configuration) return configuration.error();
  evaluate::EvaluationRequest request;
  if (!workload->plain)
    if (Status fine = evaluate::check_arguments(context.trailing); !fine) return fine.error();
  evaluate::add_arguments(context.trailing, *configuration);
  request.configuration = *configuration;
  Result<evaluate::Tools> tools = evaluate::find_tools(*context.share, context.environment);
  if (!tools) return tools.error();
  request.tools = *tools;
  if (Status read = read_program(options, *workload, request); !read) return read.error();
  request.rewritten = options.rewritten;
  request.allow_lossy = options.allow_lossy;
  request.first_seed = options.seed;
  request.seed_count = options.seeds;
  request.calls = options.calls;
  request.limits.processor_s = options.time_limit_s;
  request.limits.memory_bytes = options.memory_gib << 30;
  request.with_nvcc = !options.no_nvcc;
  request.sandbox = !options.no_sandbox;
  request.job_count = job_count(options.jobs);
  fs::path cache = cache_folder(options.cache, context);
  if (!options.no_cache && !cache.empty()) request.cache = evaluate::Cache(cache);
  Result<std::string> key = input_key_for(options, context);
  if (!key) return key.error();
  request.input_key = *key;
  request.repeat = repeat_command(options, *configuration, *key, context);
  request.progress = progress_lines(context.err);
  return request;
}

Status choose_proofs(const EvaluationOptions& options, evaluate::EvaluationRequest& request) {
  const std::vector<std::string>& texts = options.proofs.empty() ? request.configuration.proofs : options.proofs;
  for (const std::string& text : texts) {
    Result<evaluate::ProofSize> size = evaluate::parse_proof_size(text, request);
    if (!size) return usage(options, size.error().message);
    request.proofs.push_back(*std::move(size));
  }
  end_processes_on_interrupt();
  if (!options.proofs.empty()) return evaluate::check_proof_sizes(request, request.proofs);
  if (!texts.empty() || options.as_it_is) return Done{};
  if (!evaluate::is_large(request)) return processes_interrupted() ? Status(Error{"interrupted"}) : Done{};
  Result<std::vector<evaluate::ProofSize>> found = evaluate::find_proof_sizes(request);
  if (!found) return found.error();
  request.proofs = *std::move(found);
  return Done{};
}

Result<evaluate::EvaluationRequest> make_evaluation(const EvaluationOptions& options, Context& context) {
  Result<evaluate::EvaluationRequest> request = describe_evaluation(options, context);
  if (!request) return request;
  if (Status chosen = choose_proofs(options, *request); !chosen) return chosen.error();
  return request;
}

void end_processes_on_interrupt() {
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  std::signal(SIGALRM, end_at_once);
}

}  // namespace cuco::campaign
