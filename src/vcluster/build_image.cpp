#include "vcluster/build_image.h"

#include "base/files.h"
#include "base/text.h"
#include "vcluster/image_symbols.h"

namespace cuco::vcluster {

namespace {

constexpr int kStepTimeoutMs = 120'000;
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

bool is_cuda(const std::string& file) { return file.ends_with(".cu"); }

Status run_step(ProcessRunner& processes, const std::vector<std::string>& command, const std::string& file) {
  Result<ProcessOutput> output = processes.run(command, kStepTimeoutMs);
  if (!output) return output.error();
  if (output->exit_code == 0) return Done{};
  std::string_view messages = trim(output->text);
  return Error{messages.empty() ? concat(file, ": error: ", command[0], " ended with code ", output->exit_code)
                                : std::string(messages)};
}

std::vector<std::string> language_flags(const BuildRequest& request) {
  std::vector<std::string> flags = {"-std=" + request.standard, "-w"};
  for (const std::string& folder : request.include_folders) flags.push_back("-I" + folder);
  for (const std::string& definition : request.definitions) flags.push_back("-D" + definition);
  if (request.checks()) flags.push_back("-DCUCO_CHECKING");
  if (request.harness) flags.push_back("-DCUCO_HARNESS=1");
  flags.insert(flags.end(), {"-isystem", (request.share / "device" / "include").string()});
  flags.insert(flags.end(), {"-isystem", (request.share / "device").string()});
  return flags;
}

// Contraction off: a fused multiply-add where the source has none would differ from machine to machine.
const std::vector<std::string>& code_flags() {
  static const std::vector<std::string> flags = {
      "-O2", "-fPIC", "-ffp-contract=off", "-fno-math-errno", "-fno-finite-loops", "-c"};
  return flags;
}

std::vector<std::string> check_flags(const BuildRequest& request) {
  if (!request.checks()) return {};
  return {"-fpass-plugin=" + request.check_plugin.string(), "-gline-tables-only"};
}

template <typename... Parts>
std::vector<std::string> command_of(const Parts&... parts) {
  std::vector<std::string> command;
  (command.insert(command.end(), parts.begin(), parts.end()), ...);
  return command;
}

using Words = std::vector<std::string>;

Result<std::filesystem::path> lower_file(const BuildRequest& request, const std::string& file, const std::string& stem,
                                         const LowerFunction& lower, ProcessRunner& processes) {
  std::filesystem::path preprocessed = request.folder / (stem + ".pre.ii");
  std::string prelude = (request.share / "device" / "include" / "cuco" / "prelude.h").string();
  Words output = {
      concat("-D__CUDA_ARCH__=", request.cuda_arch), "-include", prelude, file, "-o", preprocessed.string()};
  Status done = run_step(
      processes, command_of(Words{kCompiler, "-E", "-x", "c++", "-DCUCO_LOWERING"}, language_flags(request), output),
      file);
  if (!done) return done.error();
  Result<std::string> text = read_file(preprocessed);
  if (!text) return text.error();
  Result<std::string> lowered = lower(file, *text, request.standard);
  if (!lowered) return lowered.error();
  std::filesystem::path result = request.folder / (stem + ".ii");
  if (Status written = write_file(result, *lowered); !written) return written.error();
  return result;
}

Result<std::filesystem::path> compile_file(const BuildRequest& request, const std::string& file, size_t index,
                                           const LowerFunction& lower, ProcessRunner& processes) {
  std::string stem = concat("unit", index);
  std::filesystem::path object = request.folder / (stem + ".o");
  Words command;
  if (is_cuda(file)) {
    Result<std::filesystem::path> lowered = lower_file(request, file, stem, lower, processes);
    if (!lowered) return lowered.error();
    Words counting;
    if (!request.cost_plugin.empty()) counting = {"-fpass-plugin=" + request.cost_plugin.string()};
    command = command_of(Words{kCompiler, "-x", "c++-cpp-output", "-std=" + request.standard, "-w"}, code_flags(),
                         counting, check_flags(request), Words{lowered->string(), "-o", object.string()});
  } else {
    command = command_of(Words{kCompiler, "-x", "c++"}, language_flags(request), code_flags(), check_flags(request),
                         Words{file, "-o", object.string()});
  }
  if (Status done = run_step(processes, command, file); !done) return done.error();
  return object;
}

bool mentions(const std::string& image, std::string_view symbol) {
  std::string entry = concat('\0', symbol, '\0');
  return image.find(entry) != image.npos;
}

Status check_symbols(const std::string& image, const std::string& file) {
  Result<std::vector<ImageSymbol>> symbols = read_symbols(image);
  if (!symbols) return symbols.error();
  std::string refusal = refusal_of(*symbols);
  return refusal.empty() ? Status(Done{}) : Error{concat(file, ": error: ", refusal)};
}

}  // namespace

Result<Image> build_image(const BuildRequest& request, const LowerFunction& lower, ProcessRunner& processes) {
  Image image;
  image.path = request.folder / "image.so";
  std::filesystem::path stub = request.folder / "stub.cpp";
  if (Status written = write_file(stub, kStub); !written) return written.error();
  Words link = {kCompiler, "-shared", "-fPIC", "-w", "-Wl,-Bsymbolic", "-x", "c++", stub.string(), "-x", "none"};
  for (size_t i = 0; i < request.files.size(); i++) {
    Result<std::filesystem::path> object = compile_file(request, request.files[i], i, lower, processes);
    if (!object) return object.error();
    link.push_back(object->string());
  }
  link.insert(link.end(), {"-o", image.path.string()});
  if (Status done = run_step(processes, link, request.files.front()); !done) return done.error();
  Result<std::string> bytes = read_file(image.path);
  if (!bytes) return bytes.error();
  if (Status fair = check_symbols(*bytes, request.files.front()); !fair) return fair.error();
  image.calls_mpi = mentions(*bytes, "MPI_Init") || mentions(*bytes, "MPI_Init_thread");
  return image;
}

}  // namespace cuco::vcluster
