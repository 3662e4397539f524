#include "evaluate/confined_program.h"

#include <algorithm>

#include "base/files.h"
#include "base/printable.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/untrusted_file.h"
#include "evaluate/plain/opened_files.h"
#include "evaluate/sandbox.h"
#include "frontend/frontend.h"
#include "model/profile_toml.h"

namespace cuco::evaluate {

namespace fs = std::filesystem;

namespace {

// Processor time is what limits a step. These end one that waits for something that does not come; a busy machine
// must not reach them, since a candidate would be rejected for it.
constexpr int kLowerMsMax = 1'800'000;
constexpr int kNvccMsMax = 1'800'000;
constexpr const char* kTrace = "trace.json";

constexpr int kSignalCodes = 128;

// Every candidate leaves objects of some hundred kilobytes in the cache.
constexpr uintmax_t kObjectBytesMax = uintmax_t{2} << 30;
constexpr unsigned kObjectsToATrim = 64;

// Keeps why the last program was stopped, which a run that left no report is explained with, and that it was: by a
// limit, or by whoever sends signals, such as the kernel when memory is short.
class Stopwatch : public ProcessRunner {
 public:
  Stopwatch(ProcessRunner& processes, std::atomic<bool>& hit_limit) : processes_(processes), hit_limit_(hit_limit) {}
  Result<ProcessOutput> run(const std::vector<std::string>& arguments, int timeout_ms,
                            const std::string& input = "") override {
    Result<ProcessOutput> output = processes_.run(arguments, timeout_ms, input);
    if (!output) reason = output.error().message.substr(output.error().message.find(": ") + 2);
    if (!output || output->exit_code > kSignalCodes) hit_limit_ = true;
    return output;
  }
  std::string reason;

 private:
  ProcessRunner& processes_;
  std::atomic<bool>& hit_limit_;
};

// Ended by how fast or how large this machine is, or in a way that says nothing about the program.
bool is_of_machine(const vcluster::RunReport& report) {
  return report.verdict == "time_limit" || report.verdict == "memory_limit" ||
         std::ranges::any_of(report.findings, [](const vcluster::RunFinding& each) { return each.kind == "crash"; });
}

// Lowering parses text that is not trusted, so it is a process in the sandbox like every other step.
vcluster::LowerFunction lower_with(const Tools& tools, const fs::path& folder, ProcessRunner& processes) {
  return [&tools, folder, &processes](const vcluster::LoweringInput& input) -> Result<std::string> {
    fs::path text = folder / "lower.in", output = folder / "lower.out";
    if (Status written = write_file(text, vcluster::to_text(input)); !written) return written.error();
    Result<ProcessOutput> run = processes.run({tools.lower.string(), text.string(), output.string()}, kLowerMsMax);
    if (!run) return run.error();
    if (run->exit_code != 0) return Error{std::string(trim(run->text))};
    return read_untrusted_file(output);
  };
}

SandboxRequest sandbox_for(const ProgramSetting& setting, Confinement confinement, const fs::path& writable,
                           std::vector<fs::path> readable) {
  SandboxRequest request;
  request.confinement = confinement;
  request.bubblewrap = setting.sandbox;
  request.writable = writable;
  request.readable = std::move(readable);
  request.memory_bytes = setting.limits.memory_bytes;
  if (confinement == Confinement::Compiler) return request;
  request.processor_s = static_cast<uint32_t>(setting.limits.processor_s) + 10;
  request.written_bytes = setting.limits.written_bytes;
  return request;
}

// A run that failed leaves no outputs or part of them, which its own findings explain better.
void take_capture(const fs::path& path, RunOutcome& outcome) {
  if (fs::symlink_status(path).type() == fs::file_type::not_found) return;
  Result<Capture> capture = read_capture(path);
  if (capture)
    outcome.capture = std::move(*capture);
  else if (outcome.stopped.empty() && outcome.report.verdict == "ok")
    outcome.report.findings.push_back({"capture", -1, capture.error().message});
}

std::string last_line(const std::string& printed) {
  constexpr size_t kBytesMax = 200;
  std::string_view text = trim(printed);
  return std::string(text.substr(text.rfind('\n') + 1).substr(0, kBytesMax));
}

// The library prints a line for each reason, on every rank.
std::vector<std::string> fallbacks_in(const std::string& printed) {
  constexpr std::string_view kLibrary = "cuco::comm: ";
  std::vector<std::string> reasons;
  for (const std::string& line : split(printed, '\n')) {
    std::string said = line.starts_with(kLibrary) ? printable(line.substr(kLibrary.size())) : std::string();
    bool is_fallback = said.starts_with("a kernel does not communicate what it writes: ") ||
                       said.starts_with("a call is left to NCCL: ");
    if (is_fallback && !std::ranges::count(reasons, said)) reasons.push_back(said);
  }
  return reasons;
}

Status make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) return Error{concat(folder.string(), ": cannot be made: ", failure.message())};
  return Done{};
}

}  // namespace

Result<ConfinedProgram> ConfinedProgram::make(const std::vector<SourceFile>& files, const ProgramSetting& setting,
                                              const Tools& tools) {
  Result<ScratchFolder> scratch = ScratchFolder::make("cuco-evaluate");
  if (!scratch) return scratch.error();
  ConfinedProgram program(std::move(*scratch), setting, tools);
  for (const SourceFile& file : files) {
    fs::path path = program.source_folder() / file.name;
    if (Status made = make_folder(path.parent_path()); !made) return made.error();
    if (Status written = write_file(path, file.text); !written) return written.error();
    program.names_.push_back(file.name);
  }
  Status written = write_file(program.profile_file(), model::to_toml(setting.profile));
  if (!written) return written.error();
  return program;
}

fs::path ConfinedProgram::profile_file() const { return scratch_.path() / "profile.toml"; }

fs::path ConfinedProgram::build_folder(BuildKind kind) const {
  constexpr const char* kNames[] = {"timing", "checking", "repeating"};
  return scratch_.path() / kNames[static_cast<size_t>(kind)];
}

fs::path ConfinedProgram::text_folder(BuildKind kind) const {
  return is_marked(kind) ? marked_folder() : source_folder();
}

// The analysis parses text that is not trusted, like lowering.
Result<PlainRegion> ConfinedProgram::find_region() const {
  fs::path folder = scratch_.path() / "region", output = folder / "region.out";
  if (Status made = make_folder(folder); !made) return made.error();
  std::string own_folder = (fs::weakly_canonical(source_folder()) / "").string();
  if (Status written = write_file(folder / "flags", model::to_text(own_flags())); !written) return written.error();
  std::vector<std::string> command = {tools_.lower.string(), "region", output.string(), tools_.share.string(),
                                      (folder / "flags").string()};
  std::ranges::move(compiled_files(source_folder()), std::back_inserter(command));
  Sandbox sandbox(sandbox_for(setting_, Confinement::Compiler, folder, readable_folders()));
  Stopwatch watched(sandbox, *hit_limit_);
  Result<ProcessOutput> run = watched.run(command, kLowerMsMax);
  if (!run) return run.error();
  if (run->exit_code != 0) return Error{without_folders(std::string(trim(run->text)))};
  Result<std::string> text = read_untrusted_file(output);
  if (!text) return text.error();
  Result<PlainRegion> region = parse_plain_region(*text);
  if (!region) return region.error();
  if (region->file.starts_with(own_folder)) region->file.erase(0, own_folder.size());
  if (std::ranges::find(names_, region->file) == names_.end())
    return Error{concat("its region stands in ", fs::path(region->file).filename().string(), ", a header")};
  region->set_up = without_folders(region->set_up);
  return region;
}

Status ConfinedProgram::write_marked(const PlainRegion& region) const {
  for (size_t i = 0; i < names_.size(); i++) {
    Result<std::string> text = read_file(source_folder() / names_[i]);
    if (text && names_[i] == region.file) text = with_marks(*text, region);
    if (!text) return text.error();
    fs::path path = marked_folder() / names_[i];
    if (Status made = make_folder(path.parent_path()); !made) return made;
    if (Status written = write_file(path, *text); !written) return written;
  }
  return Done{};
}

void ConfinedProgram::mark(Result<PlainRegion> region) {
  if (region)
    if (Status marked = write_marked(*region); !marked) region = marked.error();
  region_ = std::move(region);
}

std::vector<fs::path> ConfinedProgram::readable_folders() const {
  std::vector<fs::path> folders = tools_.folders();
  folders.push_back(source_folder());
  if (region_.ok()) folders.push_back(marked_folder());
  for (const std::string& folder : model::read_folders(own_flags())) folders.emplace_back(folder);
  return folders;
}

model::BuildFlags ConfinedProgram::own_flags() const {
  return model::flags_of_copies(setting_.flags, names_, source_folder(), setting_.folder);
}

std::vector<std::string> ConfinedProgram::compiled_files(const fs::path& folder) const {
  std::vector<std::string> files;
  for (const std::string& name : names_)
    if (model::is_compiled(name)) files.push_back((folder / name).string());
  return files;
}

model::BuildFlags ConfinedProgram::flags_of(BuildKind kind) const {
  if (!is_marked(kind)) return own_flags();
  model::BuildFlags flags = model::flags_of_copies(setting_.flags, names_, marked_folder(), setting_.folder);
  for (model::BuildFlags& each : flags.of_files)
    each.forced_includes.push_back((tools_.share / "device/cuco/region_marks.h").string());
  return flags;
}

vcluster::KnownObjects ConfinedProgram::known_objects() const {
  return {tools_.version(), [cache = setting_.cache](const std::string& key) { return cache.find("objects", key); },
          [cache = setting_.cache](const std::string& key, const std::string& object) {
            static std::atomic<unsigned> stored{0};
            if (stored++ % kObjectsToATrim == 0) cache.trim("objects", kObjectBytesMax);
            cache.store("objects", key, object);
          }};
}

vcluster::BuildRequest ConfinedProgram::build_request(BuildKind kind) const {
  vcluster::BuildRequest request;
  request.files = compiled_files(text_folder(kind));
  request.flags = flags_of(kind);
  request.share = tools_.share;
  request.harness = setting_.uses_harness;
  request.cost_plugin = tools_.cost_plugin;
  request.marks_bodies = setting_.marks_bodies;
  if (kind == BuildKind::Checking) request.check_plugin = tools_.check_plugin;
  request.folder = build_folder(kind);
  request.random_folder = scratch_.path().string();
  request.known = known_objects();
  return request;
}

// Scratch folders have random names, which would make two verdicts on one text differ.
std::string ConfinedProgram::without_folders(std::string message) const {
  message = replace_all(std::move(message), concat(vcluster::kStableFolder, "/"), (scratch_.path() / "").string());
  for (const fs::path& folder : {source_folder(), marked_folder()})
    message = replace_all(std::move(message), folder.string() + "/", "");
  // The runner shows the last two parts of a path.
  for (const std::string& name : names_)
    for (const char* folder : {"marked/source/", "source/"})
      message = replace_all(std::move(message), folder + name, name);
  return replace_all(std::move(message), scratch_.path().string(), "SCRATCH");
}

std::string ConfinedProgram::without_read_folders(std::string text) const {
  if (!setting_.folder.empty()) text = replace_all(std::move(text), (fs::absolute(setting_.folder) / "").string(), "");
  for (const std::string& folder : model::absolute(setting_.flags).include_folders)
    text = replace_all(std::move(text), folder + "/", "");
  return text;
}

Status ConfinedProgram::build(BuildKind kind) {
  if (Status made = make_folder(build_folder(kind)); !made) return made;
  Sandbox sandbox(sandbox_for(setting_, Confinement::Compiler, build_folder(kind), readable_folders()));
  Stopwatch watched(sandbox, *hit_limit_);
  vcluster::BuildRequest request = build_request(kind);
  Result<vcluster::Image> image = vcluster::build_image(request, lower_with(tools_, request.folder, watched), watched);
  if (!image) return Error{without_folders(image.error().message)};
  images_[static_cast<size_t>(kind)] = *image;
  return Done{};
}

vcluster::SimulationRequest ConfinedProgram::simulation(const RunRequest& request, const fs::path& folder) const {
  vcluster::SimulationRequest simulation;
  simulation.build = build_request(request.build);
  simulation.build.folder = folder;
  simulation.sample = request.sample;
  simulation.own_device = request.own_device;
  simulation.harness.plain = !setting_.uses_harness;
  simulation.harness.watches = request.watches;
  simulation.harness.perturbed = request.perturbed;
  simulation.harness.read_backs = request.read_backs;
  // What a sampled run of a plain program copies back is as large as the case, and not valid.
  if (!request.sample || setting_.uses_harness) simulation.harness.capture = folder / "outputs";
  simulation.harness.run_key = request.run_key;
  simulation.harness.warmups = request.warmups;
  simulation.harness.iterations = request.iterations;
  simulation.harness.loop = request.loop;
  simulation.harness.nudged = request.nudged;
  simulation.harness.compared = request.compared;
  simulation.harness.wanted = request.wanted;
  const Configuration& configuration = request.configuration ? *request.configuration : setting_.configuration;
  simulation.arguments = program_arguments(configuration);
  simulation.rank_count = configuration.rank_count;
  simulation.node_count = configuration.node_count;
  simulation.profile = profile_file();
  simulation.seed = request.schedule_seed;
  if (request.trace) simulation.trace = folder / kTrace;
  simulation.time_limit_s = setting_.limits.processor_s;
  if (request.processor_s_max > 0) simulation.time_limit_s = std::min(simulation.time_limit_s, request.processor_s_max);
  simulation.runner = tools_.runner;
  simulation.confined = setting_.sandbox;
  if (request.accesses) simulation.accesses = folder / "accesses";
  simulation.only_accesses = request.accesses;
  return simulation;
}

Result<RunOutcome> ConfinedProgram::run(const RunRequest& request) const {
  const std::optional<vcluster::Image>& image = images_[static_cast<size_t>(request.build)];
  CUCO_ASSERT(image.has_value());
  // The program sees the name, which must not tell it which run this is.
  const Configuration& configuration = request.configuration ? *request.configuration : setting_.configuration;
  std::string name = sha256(concat(static_cast<int>(request.build), " ", request.schedule_seed, " ", request.run_key,
                                   " ", join(program_arguments(configuration), " ")));
  fs::path folder = scratch_.path() / concat("run-", name.substr(0, 16));
  if (Status made = make_folder(folder); !made) return made.error();
  std::vector<fs::path> readable = tools_.folders();
  readable.push_back(build_folder(request.build));
  readable.push_back(profile_file());
  SandboxRequest confined = sandbox_for(setting_, Confinement::Program, folder, readable);
  OpenedFiles opened{setting_.start_folder, program_arguments(configuration)};
  bool opens_files = !setting_.uses_harness && setting_.sandbox && opened.start.has_relative_path();
  if (opens_files)
    if (Status placed = place_files(opened, folder, confined); !placed) return placed.error();
  Sandbox sandbox(std::move(confined));
  Stopwatch watched(sandbox, *hit_limit_);
  Result<vcluster::ScheduleResult> result =
      vcluster::run_schedule(simulation(request, folder), *image, request.schedule_seed, watched);
  if (!result) return result.error();
  RunOutcome outcome{std::move(result->report), watched.reason};
  outcome.fallbacks = fallbacks_in(result->output);
  outcome.last_words = without_folders(last_line(result->output));
  if (is_of_machine(outcome.report)) *hit_limit_ = true;
  // The kernel kills what goes on after its processor time is over; which limit comes first depends on the machine.
  constexpr int kKilled = kSignalCodes + 9;
  if (outcome.stopped.empty() && outcome.report.verdict == "fault" && outcome.report.exit_code == kKilled)
    outcome.stopped = concat("killed, after ", setting_.limits.processor_s, " s of processor time or by itself");
  take_capture(folder / "outputs", outcome);
  if (Result<std::string> trace = read_untrusted_file(folder / kTrace); request.trace && trace)
    outcome.trace = without_folders(*std::move(trace));
  if (Result<std::string> accesses = read_untrusted_file(folder / "accesses"); request.accesses && accesses)
    outcome.accesses = without_read_folders(without_folders(std::move(*accesses)));
  for (vcluster::RunFinding& finding : outcome.report.findings) finding.text = without_folders(finding.text);
  for (model::Transfer& transfer : outcome.report.traffic.transfers)
    transfer.place = without_read_folders(without_folders(transfer.place));
  for (vcluster::LaunchReport& launch : outcome.report.launches)
    launch.place = without_read_folders(without_folders(launch.place));
  for (vcluster::BodyReport& body : outcome.report.bodies) body.reason = without_folders(body.reason);
  std::error_code failure;
  fs::remove_all(folder, failure);
  return outcome;
}

Result<model::Program> ConfinedProgram::analyse() const {
  return frontend::read_program({compiled_files(source_folder()), own_flags(), tools_.share});
}

Status ConfinedProgram::build_with_nvcc(const std::vector<fs::path>& library_folders) const {
  fs::path folder = scratch_.path() / "nvcc";
  if (Status made = make_folder(folder); !made) return made;
  std::vector<fs::path> readable = readable_folders();
  readable.insert(readable.end(), library_folders.begin(), library_folders.end());
  Sandbox sandbox(sandbox_for(setting_, Confinement::Compiler, folder, readable));
  Stopwatch watched(sandbox, *hit_limit_);
  model::BuildFlags flags = own_flags();
  for (size_t i = 0; i < names_.size(); i++) {
    if (!model::is_compiled(names_[i])) continue;
    std::vector<std::string> one = {tools_.nvcc.string(), "-arch=" + setting_.profile.gpu.architecture,
                                    "-I" + (tools_.share / "device").string(), "-c", "-w",
                                    // What Clang takes without being asked.
                                    "--extended-lambda", "--expt-relaxed-constexpr"};
    // nvcc knows standards of C++ alone.
    if (model::language_of(names_[i], flags.of_file(i)) != model::Language::C) one.push_back("-std=" + flags.of_file(i).standard);
    std::vector<std::string> own = model::nvcc_words(flags.of_file(i));
    one.insert(one.end(), own.begin(), own.end());
    for (const fs::path& each : library_folders) one.push_back("-I" + fs::absolute(each).string());
    one.insert(one.end(), {(source_folder() / names_[i]).string(), "-o", (folder / "unit.o").string()});
    Result<ProcessOutput> output = watched.run(one, kNvccMsMax);
    if (!output) return output.error();
    if (output->exit_code != 0) return Error{without_folders(std::string(trim(output->text)))};
  }
  return Done{};
}

}  // namespace cuco::evaluate
