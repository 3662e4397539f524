#include "vcluster/build_image.h"

#include <algorithm>
#include <set>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/untrusted_file.h"
#include "model/openmp.h"
#include "vcluster/allowed_imports.h"
#include "vcluster/host_libraries.h"
#include "vcluster/image_symbols.h"

namespace cuco::vcluster {

namespace {

// Steps take seconds of processor time, which the sandbox limits; others may take most of the machine for long, and
// how long a step waits for them says nothing about the program.
constexpr int kStepTimeoutMs = 1'800'000;
constexpr const char* kCompiler = "clang++-19";

// What the runner asks of an image. The sections' bounds come from the linker; the variables make sure they exist.
constexpr const char* kStub = R"(
extern "C" {
extern char __start_cuco_shared[], __stop_cuco_shared[], __start_cuco_device[], __stop_cuco_device[];
__attribute__((section("cuco_shared"), used)) static char cuco_shared_is_there[16];
__attribute__((section("cuco_device"), used)) static char cuco_device_is_there[16];
int main(int, char**, char**);
struct { char *shared_begin, *shared_end, *device_begin, *device_end; int (*main)(int, char**, char**); } cuco_image = {
    __start_cuco_shared, __stop_cuco_shared, __start_cuco_device, __stop_cuco_device, main};
}
)";

using model::Language;

Language language_of(const BuildRequest& request, size_t index) {
  return model::language_of(request.files[index], request.flags.of_file(index));
}

// What the step printed.
Result<std::string> run_printing(ProcessRunner& processes, const std::vector<std::string>& command,
                                 const std::string& file) {
  Result<ProcessOutput> output = processes.run(command, kStepTimeoutMs);
  if (!output) return output.error();
  if (output->exit_code == 0) return output->text;
  std::string_view messages = trim(output->text);
  return Error{messages.empty() ? concat(file, ": error: ", command[0], " ended with code ", output->exit_code)
                                : std::string(messages)};
}

Status run_step(ProcessRunner& processes, const std::vector<std::string>& command, const std::string& file) {
  Result<std::string> printed = run_printing(processes, command, file);
  return printed ? Status(Done{}) : printed.error();
}

std::string standard_for(const BuildRequest& request, size_t index) {
  return model::standard_of(request.flags.of_file(index), language_of(request, index));
}

std::vector<std::string> language_flags(const BuildRequest& request, size_t index) {
  const model::BuildFlags& own = request.flags.of_file(index);
  std::vector<std::string> flags = {"-std=" + standard_for(request, index), "-w"};
  std::vector<std::string> words = model::preprocessor_words(own);
  flags.insert(flags.end(), words.begin(), words.end());
  if (request.checks()) flags.push_back("-DCUCO_CHECKING");
  if (request.harness) flags.push_back("-DCUCO_HARNESS=1");
  flags.insert(flags.end(), {"-isystem", (request.share / "device" / "include").string()});
  flags.insert(flags.end(), {"-isystem", (request.share / "device").string()});
  // The communication library is code of the program that includes it: launches in it are lowered like others.
  flags.push_back("--no-system-header-prefix=cuco/comm");
  return flags;
}

// Contraction off: a fused multiply-add where the source has none would differ from machine to machine. Line tables let
// the runtime say where code goes round; it reads those of version 4. Large frames touch every page, so that none can
// step over a guard page.
const std::vector<std::string>& code_flags() {
  static const std::vector<std::string> flags = {"-O2",
                                                 "-fPIC",
                                                 "-ffp-contract=off",
                                                 "-fno-math-errno",
                                                 "-fno-finite-loops",
                                                 "-gline-tables-only",
                                                 "-gdwarf-4",
                                                 "-fstack-clash-protection",
                                                 "-c"};
  return flags;
}

std::vector<std::string> check_flags(const BuildRequest& request) {
  if (!request.checks()) return {};
  return {"-fpass-plugin=" + request.check_plugin.string()};
}

template <typename... Parts>
std::vector<std::string> command_of(const Parts&... parts) {
  std::vector<std::string> command;
  (command.insert(command.end(), parts.begin(), parts.end()), ...);
  return command;
}

using Words = std::vector<std::string>;

// A header that is not there usually belongs to a library without a stand-in.
Error with_advice(const Error& error) {
  if (error.message.find("file not found") == std::string::npos) return error;
  return Error{concat(
      error.message,
      "\nThe virtual cluster has stand-ins for the headers of CUDA with its libraries, of NCCL and MPI; give the "
      "folders of your own headers with -I.")};
}

// Of a library that the linker does not find.
Error with_package(const Error& error) {
  constexpr std::string_view kMissing = "cannot find -l";
  size_t at = error.message.find(kMissing);
  if (at == std::string::npos) return error;
  size_t begin = at + kMissing.size();
  std::string name = error.message.substr(begin, error.message.find_first_of(": \n", begin) - begin);
  return Error{concat("-l ", name, ": there is no lib", name,
                      ".so; install the package that has it, on Debian usually lib", name,
                      "-dev, or name its folder with -L")};
}

Result<std::string> preprocess(const BuildRequest& request, size_t index, const std::string& output, const Words& mode,
                               ProcessRunner& processes) {
  const std::string& file = request.files[index];
  std::filesystem::path cuco = request.share / "device" / "include" / "cuco";
  Language language = language_of(request, index);
  std::string prelude = (cuco / (language == Language::Cuda ? "prelude.h" : "host_place.h")).string();
  Words command = command_of(Words{kCompiler, "-E", "-x", language == Language::C ? "c" : "c++", "-include", prelude},
                             mode, language_flags(request, index), Words{file, "-o", output});
  if (Status done = run_step(processes, command, file); !done) return with_advice(done.error());
  return read_untrusted_file(output);
}

// The user's files that went into preprocessed text: those that its line markers do not call system headers.
std::set<std::string> own_files(const std::string& text) {
  std::set<std::string> files;
  for (size_t at = text.find("\n# "); at != text.npos; at = text.find("\n# ", at + 1)) {
    std::string_view marker = std::string_view(text).substr(at + 1, text.find('\n', at + 1) - at - 1);
    size_t open = marker.find('"'), close = marker.rfind('"');
    if (open >= close || marker.substr(close).find('3') != marker.npos) continue;
    files.emplace(marker.substr(open + 1, close - open - 1));
  }
  return files;
}

// Line markers may name anything: only plain files are opened.
bool mentions_architecture(const std::string& file) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file, failure)) return false;
  Result<std::string> source = read_file(file);
  return source && source->find("__CUDA_ARCH__") != std::string::npos;
}

bool asks_for_architecture(const std::string& text) {
  return std::ranges::any_of(own_files(text), mentions_architecture);
}

struct Unit {
  std::string file;
  Language language;
  std::string standard;
  bool has_openmp = false;
  std::filesystem::path lowered;
  std::filesystem::path object;
  std::string key;                   // Of its object among those that are known.
  std::optional<std::string> known;  // What is known of it, as to_known() writes it.
};

// Warnings, a line each, an empty line, the object.
std::string to_known(const std::vector<CompilerWarning>& warnings, const std::string& object) {
  std::string text;
  for (const CompilerWarning& warning : warnings) text += concat(warning.kind, " ", warning.text, "\n");
  return concat(text, "\n", object);
}
struct KnownObject {
  std::vector<CompilerWarning> warnings;
  std::string_view object;
};
KnownObject parse_known(std::string_view text) {
  KnownObject known;
  size_t at = 0;
  for (size_t end = text.find('\n'); end != text.npos && end != at; end = text.find('\n', at = end + 1)) {
    std::string_view line = text.substr(at, end - at);
    size_t blank = line.find(' ');
    known.warnings.push_back({std::string(line.substr(0, blank)), std::string(line.substr(blank + 1))});
  }
  known.object = text.substr(std::min(at + 1, text.size()));
  return known;
}

std::string key_of(const BuildRequest& request, const LoweringInput& input) {
  LoweringInput named = input;
  named.implemented.clear();  // Those of the version.
  return sha256(concat(request.known.version, request.checks() ? "checks" : "", request.cost_plugin.empty() ? "" : "costs",
                       "\n", to_text(named)));
}

std::string with_stable_folder(const BuildRequest& request, std::string text) {
  return request.random_folder.empty() ? text : replace_all(std::move(text), request.random_folder, kStableFolder);
}

Result<LoweringInput> read_unit(const BuildRequest& request, size_t index, const std::string& stem,
                                ProcessRunner& processes) {
  LoweringInput input;
  input.path = with_stable_folder(request, request.files[index]), input.standard = standard_for(request, index);
  input.implemented = request.implemented;
  Language language = language_of(request, index);
  input.is_cuda = language == Language::Cuda, input.is_c = language == Language::C;
  input.has_openmp = model::has_openmp(request.flags.of_file(index));
  input.marks_kernels = request.marks_bodies;
  Words mode;
  if (input.is_cuda) mode = {"-DCUCO_LOWERING", concat("-D__CUDA_ARCH__=", request.cuda_arch)};
  Result<std::string> text = preprocess(request, index, stem + ".pre.ii", mode, processes);
  if (!text) return text.error();
  input.text = *std::move(text);
  if (input.is_cuda && asks_for_architecture(input.text)) {
    Result<std::string> host_text = preprocess(request, index, stem + ".host.ii", {"-DCUCO_LOWERING"}, processes);
    if (!host_text) return host_text.error();
    input.host_text = with_stable_folder(request, *std::move(host_text));
  }
  input.text = with_stable_folder(request, std::move(input.text));
  return input;
}

Result<Unit> lower_file(const BuildRequest& request, size_t index, const LowerFunction& lower,
                        ProcessRunner& processes) {
  std::string stem = (request.folder / concat("unit", index)).string();
  Result<LoweringInput> input = read_unit(request, index, stem, processes);
  if (!input) return input.error();
  Unit unit{request.files[index], language_of(request, index), input->standard, input->has_openmp,
            stem + (input->is_c ? ".i" : ".ii"), stem + ".o", {}, {}};
  if (request.known.find) {
    unit.key = key_of(request, *input);
    unit.known = request.known.find(unit.key);
  }
  if (unit.known) return unit;
  Result<std::string> lowered = lower(*input);
  if (!lowered) return lowered.error();
  if (Status written = write_file(unit.lowered, *lowered); !written) return written.error();
  return unit;
}

Result<std::vector<Unit>> lower_files(const BuildRequest& request, const LowerFunction& lower,
                                      ProcessRunner& processes) {
  std::vector<Unit> units;
  std::vector<std::string> problems;
  for (size_t i = 0; i < request.files.size(); i++) {
    Result<Unit> unit = lower_file(request, i, lower, processes);
    if (unit)
      units.push_back(*unit);
    else
      problems.push_back(unit.error().message);
  }
  if (!problems.empty()) return Error{join(problems, "\n")};
  return units;
}

// The kind of finding that a warning with this flag is; empty: none.
std::string kind_of(std::string_view flag) {
  if (flag == "-Wfortify-source") return "memory_access";
  return flag == "-Wuninitialized" ? "unwritten_read" : "";
}

std::vector<CompilerWarning> warnings_in(const std::string& printed) {
  constexpr std::string_view kSign = " warning: ", kFlag = " [";
  std::vector<CompilerWarning> warnings;
  for (std::string_view line : split(printed, '\n')) {
    size_t sign = line.find(kSign), flag = line.rfind(kFlag);
    if (sign == line.npos || flag == line.npos) continue;
    size_t text = sign + kSign.size(), name = flag + kFlag.size();
    std::string kind = kind_of(line.substr(name, line.size() - name - 1));
    if (!kind.empty()) warnings.push_back({kind, concat(line.substr(0, sign), " ", line.substr(text, flag - text))});
  }
  return warnings;
}

// Of calls that write beyond a variable whose size is known, and of variables that are read before anything is written
// to them: macros that declare a variable of the name that their argument uses do that. Others are matters of taste.
const Words& warning_flags() {
  static const Words flags = {"-Wno-everything", "-Wfortify-source", "-Wuninitialized", "-Wno-sometimes-uninitialized"};
  return flags;
}

Result<std::vector<CompilerWarning>> compile(const BuildRequest& request, const Unit& unit, ProcessRunner& processes) {
  if (unit.known) {
    KnownObject known = parse_known(*unit.known);
    if (Status written = write_file(unit.object, known.object); !written) return written.error();
    return known.warnings;
  }
  Words counting;
  if (!request.cost_plugin.empty()) counting = {"-fpass-plugin=" + request.cost_plugin.string()};
  const char* language = unit.language == Language::C ? "cpp-output" : "c++-cpp-output";
  Words start = {kCompiler, "-x", language, "-std=" + unit.standard};
  if (unit.has_openmp) start.emplace_back("-fopenmp");
  Words command = command_of(start, warning_flags(), code_flags(), counting, check_flags(request),
                             Words{unit.lowered.string(), "-o", unit.object.string()});
  Result<std::string> printed = run_printing(processes, command, unit.file);
  if (!printed) return printed.error();
  std::vector<CompilerWarning> warnings = warnings_in(*printed);
  if (!request.known.keep) return warnings;
  if (Result<std::string> object = read_untrusted_file(unit.object))
    request.known.keep(unit.key, to_known(warnings, *object));
  return warnings;
}

// What launchers tell a process about its rank.
constexpr const char* kRankVariables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",    "PMI_RANK",
                                          "MV2_COMM_WORLD_RANK",  "SLURM_PROCID", "RANK"};

// As the name of a symbol, or as a text.
bool mentions(const std::string& image, std::string_view symbol) {
  std::string entry = concat('\0', symbol, '\0');
  return image.find(entry) != image.npos;
}

// A program that is started once for each rank calls MPI, or asks its environment.
bool are_ranks_processes(const std::string& image) {
  if (mentions(image, "MPI_Init") || mentions(image, "MPI_Init_thread")) return true;
  bool asks = mentions(image, "getenv") || mentions(image, "secure_getenv");
  return asks && std::ranges::any_of(kRankVariables, [&](const char* name) { return mentions(image, name); });
}

// Links what was linked once more, with the first of the names that is there.
Status link_with(const HostLibrary& library, const BuildRequest& request, Words& link, ProcessRunner& processes) {
  for (const std::string& name : library.names) {
    Words with_it = command_of(link, Words{"-Wl,--as-needed", "-l" + name});
    if (!run_step(processes, with_it, request.files.front())) continue;
    link = std::move(with_it);
    return Done{};
  }
  // One that the user names may have it.
  if (!model::host_library_words(request.flags).empty()) return run_step(processes, link, request.files.front());
  return Error{concat(request.files.front(), ": error: nothing defines ", library.asked, ", and no lib",
                      library.names.front(), ".so is installed; install the package that has it, on Debian ",
                      library.package, ", or name its library with -l")};
}

// The image's symbols, after libraries that it asks for were added to it.
Result<std::vector<ImageSymbol>> link_image(const BuildRequest& request, Words link, const std::filesystem::path& image,
                                            ProcessRunner& processes) {
  if (Status done = run_step(processes, link, request.files.front()); !done) return with_package(done.error());
  Result<std::string> bytes = read_untrusted_file(image);
  if (!bytes) return bytes.error();
  Result<std::vector<ImageSymbol>> symbols = read_symbols(*bytes);
  if (!symbols) return symbols.error();
  for (const HostLibrary& library : host_libraries_of(*symbols))
    if (Status done = link_with(library, request, link, processes); !done) return done.error();
  return symbols;
}

Status take_symbols(const std::vector<ImageSymbol>& symbols, const BuildRequest& request, Image& image) {
  image.unusual_imports = unusual_imports(symbols);
  std::string refusal = refusal_of(symbols, request.implemented);
  return refusal.empty() ? Status(Done{}) : Error{concat(request.files.front(), ": error: ", refusal)};
}

}  // namespace

Result<Image> build_image(const BuildRequest& request, const LowerFunction& lower, ProcessRunner& processes) {
  Image image;
  image.path = request.folder / "image.so";
  std::filesystem::path stub = request.folder / "stub.cpp";
  if (Status written = write_file(stub, kStub); !written) return written.error();
  Words link = {kCompiler, "-shared",     "-fPIC", "-w",  "-Wl,-Bsymbolic", "-Wl,-z,relro,-z,now", "-x",
                "c++",     stub.string(), "-x",    "none"};
  Result<std::vector<Unit>> units = lower_files(request, lower, processes);
  if (!units) return units.error();
  for (const Unit& unit : *units) {
    Result<std::vector<CompilerWarning>> warnings = compile(request, unit, processes);
    if (!warnings) return warnings.error();
    image.warnings.insert(image.warnings.end(), warnings->begin(), warnings->end());
    link.push_back(unit.object.string());
  }
  link = command_of(link, Words{"-o", image.path.string()}, model::host_library_words(request.flags));
  Result<std::vector<ImageSymbol>> symbols = link_image(request, link, image.path, processes);
  if (!symbols) return symbols.error();
  if (Status fair = take_symbols(*symbols, request, image); !fair) return fair.error();
  Result<std::string> bytes = read_untrusted_file(image.path);
  if (!bytes) return bytes.error();
  image.ranks_are_processes = are_ranks_processes(*bytes);
  return image;
}

}  // namespace cuco::vcluster
