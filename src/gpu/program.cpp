#include "gpu/program.h"

#include <algorithm>
#include <atomic>

#include "base/files.h"
#include "base/text.h"
#include "evaluate/sandbox.h"
#include "gpu/emulated_nic.h"
#include "gpu/plain.h"
#include "gpu/rank_run.h"
#include "gpu/runner_objects.h"
#include "gpu/time_limits.h"

namespace cuco::gpu {

namespace fs = std::filesystem;

namespace {

constexpr int kSymbolsMsMax = 20'000;
constexpr uint64_t kCompilerBytes = uint64_t{8} << 30;

Status make_run_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) return Error{concat(folder.string(), ": cannot be made: ", failure.message())};
  return Done{};
}

// Where a program's own files and libraries are, given the program: /opt/mpi of /opt/mpi/bin/mpirun.
void add_installation(const std::string& program, std::vector<fs::path>& folders) {
  fs::path path = program;
  if (!path.has_parent_path()) path = RealEnvironment().find_program(program).value_or("");
  if (path.empty()) return;
  for (const fs::path& each : {path, fs::path(fs::weakly_canonical(path))})
    if (fs::path root = each.parent_path().parent_path(); root.has_relative_path()) folders.push_back(root);
}

// Of the toolkit, by the headers that a program includes; what every program needs is linked in any case.
struct LibraryOfHeader {
  const char *header, *argument;
};
constexpr LibraryOfHeader kLibraries[] = {
    {"cublas_v2.h", "-lcublas"},    {"cublasLt.h", "-lcublasLt"}, {"curand.h", "-lcurand"}, {"cufft.h", "-lcufft"},
    {"cusolverDn.h", "-lcusolver"}, {"cusparse.h", "-lcusparse"}, {"cuda.h", "-lcuda"}};

bool includes(const std::string& text, const std::string& header) {
  return text.find("<" + header + ">") != text.npos || text.find("\"" + header + "\"") != text.npos;
}

}  // namespace

std::vector<std::string> libraries_of(const std::vector<SourceFile>& files) {
  std::vector<std::string> libraries;
  for (const LibraryOfHeader& each : kLibraries)
    if (std::ranges::any_of(files, [&](const auto& file) { return includes(file.text, each.header); }))
      libraries.push_back(each.argument);
  return libraries;
}

struct Program::Impl {
  Impl(ScratchFolder folder, const evaluate::ProgramSetting& how, const evaluate::Tools& used, const Toolchain& with,
       const std::string& gpu, const evaluate::Cache& known)
      : scratch(std::move(folder)), setting(how), tools(used), toolchain(with), architecture(gpu), cache(known) {}

  fs::path source_folder() const { return scratch.path() / "source"; }
  fs::path build_folder() const { return scratch.path() / "build"; }
  fs::path executable() const { return build_folder() / "program"; }

  Status write_sources(const std::vector<SourceFile>& files);
  std::vector<std::string> nvcc_command(const std::vector<fs::path>& objects) const;
  std::vector<fs::path> readable_folders() const;
  model::BuildFlags flags() const;
  evaluate::SandboxRequest compiler_sandbox() const;
  Status build_runner();
  Status build();
  Status find_out_whether_mpi(evaluate::Sandbox& sandbox);
  std::string without_folders(std::string message) const;
  std::vector<std::string> program_command() const;
  std::vector<std::string> launch_command(const Session& session, const Variables& variables) const;
  Result<RankLaunch> launch_for(const RunRequest& request, const Session& session);
  Result<RunOutcome> run_held(const RankLaunch& launch, const RunRequest& request, Session& session, Variant variant);
  Result<RunOutcome> run(const RunRequest& request, Session& session, Variant variant);
  Result<RunOutcome> run_calls_apart(const RunRequest& request, Session& session, Variant variant);

  ScratchFolder scratch;
  evaluate::ProgramSetting setting;
  evaluate::Tools tools;
  Toolchain toolchain;
  std::string architecture;
  evaluate::Cache cache;
  std::vector<std::string> names;      // Of the source files.
  std::vector<std::string> libraries;  // That they need besides NCCL and MPI.
  std::vector<fs::path> runner;        // Objects.
  std::string once;                    // Of a program without the harness: see MarkedProgram.
  bool is_built = false;
  bool ranks_are_processes = true;
  std::atomic<uint32_t> run_count{0};
};

Status Program::Impl::write_sources(const std::vector<SourceFile>& files) {
  for (const SourceFile& file : files) {
    fs::path path = source_folder() / file.name;
    CUCO_CHECK(make_run_folder(path.parent_path()));
    CUCO_CHECK(write_file(path, file.text));
    names.push_back(file.name);
  }
  libraries = libraries_of(files);
  return make_run_folder(build_folder());
}

std::vector<fs::path> Program::Impl::readable_folders() const {
  std::vector<fs::path> folders = tools.folders();
  for (const std::string& folder : model::read_folders(flags())) folders.emplace_back(folder);
  folders.insert(folders.end(), {source_folder(), toolchain.nccl_include, toolchain.nccl_library});
  add_installation(toolchain.nvcc.string(), folders);
  for (const std::vector<std::string>* arguments : {&toolchain.mpi_compile, &toolchain.mpi_link})
    for (const std::string& word : *arguments)
      if (word.starts_with("-I") || word.starts_with("-L")) folders.emplace_back(word.substr(2));
  return folders;
}

// All files are built by one command, so it has the folders of all.
model::BuildFlags Program::Impl::flags() const {
  model::BuildFlags flags = model::flags_of_copies(setting.flags, names, source_folder(), setting.folder);
  for (const model::BuildFlags& own : flags.of_files)
    for (const std::string& folder : own.quote_folders)
      if (std::ranges::find(flags.quote_folders, folder) == flags.quote_folders.end())
        flags.quote_folders.push_back(folder);
  return flags;
}

evaluate::SandboxRequest Program::Impl::compiler_sandbox() const {
  evaluate::SandboxRequest request;
  request.confinement = evaluate::Confinement::Compiler;
  request.bubblewrap = setting.sandbox;
  request.writable = build_folder();
  request.readable = readable_folders();
  request.processor_s = kNvccMsMax / 1000;
  request.memory_bytes = kCompilerBytes;
  return request;
}

std::vector<std::string> Program::Impl::nvcc_command(const std::vector<fs::path>& objects) const {
  std::vector<std::string> command = {
      toolchain.nvcc.string(), "-std=" + setting.flags.standard, "-arch=" + architecture, "-O3", "-w",
      // What Clang takes without being asked.
      "--extended-lambda", "--expt-relaxed-constexpr", "-I" + (tools.share / "device").string()};
  if (setting.uses_harness)
    command.push_back("-DCUCO_HARNESS");
  else
    command.insert(command.end(), {"-include", (tools.share / "device/cuco/region_marks.h").string()});
  std::vector<std::string> own = model::nvcc_words(flags());
  command.insert(command.end(), own.begin(), own.end());
  command.push_back("-I" + toolchain.nccl_include.string());
  command.insert(command.end(), toolchain.mpi_compile.begin(), toolchain.mpi_compile.end());
  for (const std::string& name : names)
    if (model::is_compiled(name)) command.push_back((source_folder() / name).string());
  for (const fs::path& object : objects) command.push_back(object.string());
  std::vector<std::string> link = link_arguments(toolchain);
  command.insert(command.end(), link.begin(), link.end());
  command.insert(command.end(), libraries.begin(), libraries.end());
  for (const std::string& folder : flags().library_folders) command.push_back("-L" + folder);
  for (const std::string& library : setting.flags.libraries) command.push_back("-l" + library);
  command.insert(command.end(), {"-o", executable().string()});
  return command;
}

// Scratch folders have random names, which would make two verdicts on one text differ.
std::string Program::Impl::without_folders(std::string message) const {
  message = replace_all(std::move(message), source_folder().string() + "/", "");
  return replace_all(std::move(message), scratch.path().string(), "SCRATCH");
}

Status Program::Impl::build_runner() {
  if (!runner.empty()) return Done{};
  evaluate::Sandbox sandbox(compiler_sandbox());
  RunnerRequest request{tools.share / "device", build_folder(), toolchain, architecture};
  CUCO_TRY(runner, runner_objects(request, cache, sandbox));
  return Done{};
}

Status Program::Impl::build() {
  if (is_built) return Done{};
  CUCO_CHECK(build_runner());
  evaluate::Sandbox sandbox(compiler_sandbox());
  Result<ProcessOutput> output = sandbox.run(nvcc_command(runner), kNvccMsMax);
  if (!output) return output.error();
  if (output->exit_code != 0) return Error{without_folders(std::string(trim(output->text)))};
  CUCO_CHECK(find_out_whether_mpi(sandbox));
  is_built = true;
  return Done{};
}

// The runner itself asks MPI whether it is initialised and never initialises it.
Status Program::Impl::find_out_whether_mpi(evaluate::Sandbox& sandbox) {
  Result<ProcessOutput> symbols = sandbox.run({"nm", "-D", "--undefined-only", executable().string()}, kSymbolsMsMax);
  if (!symbols) return symbols.error();
  if (symbols->exit_code != 0) return Error{concat("nm cannot read the program: ", trim(symbols->text))};
  ranks_are_processes = symbols->text.find(" MPI_Init\n") != std::string::npos ||
                        symbols->text.find(" MPI_Init_thread\n") != std::string::npos;
  return Done{};
}

std::vector<std::string> Program::Impl::program_command() const {
  std::vector<std::string> command = {executable().string()};
  for (const std::string& argument : evaluate::program_arguments(setting.configuration)) command.push_back(argument);
  return command;
}

// Ranks that are threads are one process, which no launcher may start several times.
std::vector<std::string> Program::Impl::launch_command(const Session& session, const Variables& variables) const {
  return ranks_are_processes ? session.launch_command(program_command(), variables)
                             : session.single_process_command(program_command(), variables);
}

namespace {

DeviceState state_now(const Session& session) {
  RealProcessRunner processes;
  if (session.devices().empty()) return {};
  Result<DeviceState> state = state_of(session.devices().front(), processes);
  return state ? *state : DeviceState{};
}

}  // namespace

Result<RankLaunch> Program::Impl::launch_for(const RunRequest& request, const Session& session) {
  RankLaunch launch;
  launch.folder = scratch.path() / concat("run-", run_count++);
  CUCO_CHECK(make_run_folder(launch.folder));
  Variables variables = request.variables;
  variables.emplace_back("CUCO_RUN_FOLDER", launch.folder.string());
  launch.readable = readable_folders();
  if (session.nic_plugin() && !ranks_are_processes)
    return Error{"ranks that are threads of one process cannot be on several nodes: give --nodes 1"};
  if (session.nic_plugin()) add_nic_run(*session.nic_plugin(), launch, variables);
  launch.command = launch_command(session, variables);
  launch.readable.push_back(build_folder());
  add_installation(launch.command[0], launch.readable);
  launch.shared = session.shared_folders();
  launch.rank_count = setting.configuration.rank_count;
  launch.sandbox = setting.sandbox;
  return launch;
}

// What needs the GPUs, and nothing else: others may be waiting for them.
Result<RunOutcome> Program::Impl::run_held(const RankLaunch& launch, const RunRequest& request, Session& session,
                                           Variant variant) {
  CUCO_TRY(Hold hold, session.hold());
  DeviceState before = state_now(session);
  Result<RunOutcome> outcome = run_ranks(launch, request, variant);
  if (outcome && session.nic_plugin()) outcome->network = network_use_in(launch.folder, *outcome);
  if (!outcome) return outcome;
  outcome->before = before;
  outcome->after = state_now(session);
  bool was_killed = outcome->end == "hang" || outcome->end == "limit" || outcome->end == "signal";
  if (was_killed) CUCO_CHECK(session.recover());
  return outcome;
}

Result<RunOutcome> Program::Impl::run(const RunRequest& asked, Session& session, Variant variant) {
  RunRequest request = asked;
  if (!setting.uses_harness) request.devices = session.ranks_sharing();
  CUCO_TRY(RankLaunch launch, launch_for(request, session));
  Result<RunOutcome> outcome = run_held(launch, request, session, variant);
  Status read = outcome && outcome->end == "ok" ? read_outputs(launch, *outcome) : Done{};
  std::error_code failure;
  fs::remove_all(launch.folder, failure);
  if (!outcome) return outcome;
  if (!read) return read.error();
  outcome->output = without_folders(std::move(outcome->output));
  return outcome;
}

// A run for every call, the first of them to warm up.
Result<RunOutcome> Program::Impl::run_calls_apart(const RunRequest& request, Session& session, Variant variant) {
  constexpr uint32_t kRunsMax = 6;
  RunOutcome all;
  for (uint32_t call = 0; call < std::min(request.iterations + 1, kRunsMax); call++) {
    RunRequest one = request;
    one.warmups = 0;
    one.iterations = 1;
    one.repeats = false;
    one.capture = request.capture && call == 0;
    Result<RunOutcome> outcome = run(one, session, variant);
    if (!outcome || outcome->end != "ok") return outcome;
    std::vector<TimedCall> calls = std::move(all.calls);
    for (TimedCall each : outcome->calls) {
      each.iteration = call;
      each.is_timed = call > 0;
      calls.push_back(each);
    }
    if (call == 0)
      all = *std::move(outcome);
    else
      all.after = outcome->after;
    all.calls = std::move(calls);
  }
  return all;
}

Program::Program(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<Program> Program::make(const std::vector<SourceFile>& files, const evaluate::ProgramSetting& setting,
                              const evaluate::Tools& tools, const Toolchain& toolchain, const std::string& architecture,
                              const evaluate::Cache& cache) {
  CUCO_TRY(ScratchFolder scratch, ScratchFolder::make("cuco-gpu"));
  auto impl = std::make_shared<Impl>(std::move(scratch), setting, tools, toolchain, architecture, cache);
  MarkedProgram given{files, ""};
  if (!setting.uses_harness) {
    CUCO_TRY(given, with_region_marks(files, setting, tools));
  }
  impl->once = given.once;
  CUCO_CHECK(impl->write_sources(given.files));
  return Program(std::move(impl));
}

Status Program::build_runner() { return impl_->build_runner(); }

Status Program::build(Variant) { return impl_->build(); }

Result<RunOutcome> Program::run(const RunRequest& request, Session& session, Variant variant) const {
  CUCO_ASSERT(impl_->is_built);
  if (!impl_->once.empty()) return impl_->run_calls_apart(request, session, variant);
  return impl_->run(request, session, variant);
}

}  // namespace cuco::gpu
