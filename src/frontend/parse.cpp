#include "frontend/parse.h"

#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "frontend/mismatch_notes.h"
#include "frontend/nvcc_syntax.h"
#include "frontend/source_text.h"

namespace cuco::frontend {

namespace {

constexpr unsigned kErrorsShownMax = 20;
constexpr unsigned kStackBytes = 256u << 20;

// Names of the libraries that cuco has stand-ins for: a call that is missing there deserves a different hint than a
// misspelt function of the user's.
bool names_library_call(std::string_view message) {
  for (std::string_view prefix : {"'nccl", "'cuda", "'MPI_", "'cublas"})
    if (message.find(prefix) != std::string_view::npos) return true;
  return false;
}

class ErrorCollector : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& diagnostic) override {
    llvm::SmallString<128> message;
    diagnostic.FormatDiagnostic(message);
    if (level == clang::DiagnosticsEngine::Note) return add_reason(mismatch_in(message.str()));
    may_lack_reason_ = false;
    if (level < clang::DiagnosticsEngine::Error || lines_.size() >= kErrorsShownMax) return;
    note_file(diagnostic);
    std::string line = concat(place_of(diagnostic), "error: ", message.str().str());
    if (message.str().contains("undeclared identifier") && names_library_call(message.str()))
      line += "; cuco's headers know CUDA 13, NCCL 2.28 and MPI 3";
    lines_.push_back(line + kernels_hint(message.str()));
    may_lack_reason_ = true;
  }

  const std::vector<std::string>& lines() const { return lines_; }
  // Files, by the names under which they were opened, in which something was wrong.
  const std::set<std::string>& files() const { return files_; }

 private:
  void add_reason(const std::string& reason) {
    if (!may_lack_reason_ || reason.empty()) return;
    lines_.back() += reason;
    may_lack_reason_ = false;
  }
  void note_file(const clang::Diagnostic& diagnostic) {
    if (!diagnostic.hasSourceManager() || diagnostic.getLocation().isInvalid()) return;
    const clang::SourceManager& sources = diagnostic.getSourceManager();
    clang::FileID file = sources.getFileID(sources.getSpellingLoc(diagnostic.getLocation()));
    if (auto entry = sources.getFileEntryRefForID(file)) files_.insert(entry->getName().str());
  }
  static std::string place_of(const clang::Diagnostic& diagnostic) {
    if (!diagnostic.hasSourceManager() || diagnostic.getLocation().isInvalid()) return "";
    clang::PresumedLoc place = diagnostic.getSourceManager().getPresumedLoc(diagnostic.getLocation());
    if (place.isInvalid()) return "";
    return concat(place.getFilename(), ":", place.getLine(), ":", place.getColumn(), ": ");
  }

  std::vector<std::string> lines_;
  bool may_lack_reason_ = false;  // The last of them.
  std::set<std::string> files_;
};

model::Language language_of(const ParseRequest& request, size_t index) {
  return model::language_of(request.files[index], request.flags.of_file(index));
}

std::vector<std::string> arguments_for(const ParseRequest& request, size_t index) {
  const model::BuildFlags& flags = request.flags.of_file(index);
  model::Language language = language_of(request, index);
  std::string headers = (request.share / "device" / "include").string();
  std::vector<std::string> arguments = {
      concat("-std=", model::standard_of(flags, language)), "-w", "-fsyntax-only", "-resource-dir", CUCO_CLANG_RESOURCE_DIR,
      concat("-ferror-limit=", kErrorsShownMax)};
  if (language == model::Language::Cuda)
    for (const char* flag : {"-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-nogpuinc", "-Xclang",
                             "-fcuda-allow-variadic-functions"})
      arguments.push_back(flag);
  else
    arguments.insert(arguments.end(), {"-x", language == model::Language::C ? "c" : "c++"});
  arguments.insert(arguments.end(), {"-include", headers + "/cuco/prelude.h"});
  std::vector<std::string> own = model::preprocessor_words(flags);
  arguments.insert(arguments.end(), own.begin(), own.end());
  arguments.insert(arguments.end(), {"-isystem", headers});
  // The harness as the runner calls it: drawing and timing are no part of the program.
  arguments.insert(arguments.end(), {"-isystem", (request.share / "device").string(), "-DCUCO_HARNESS=1"});
  // The communication library is code of the program that includes it.
  arguments.push_back("--no-system-header-prefix=cuco/comm");
  return arguments;
}

using Unit = std::unique_ptr<clang::ASTUnit>;

// Texts that the parser sees in place of a file's.
using Stead = clang::tooling::FileContentMappings;

Unit parse_in_stead(const std::string& text, const std::string& path, const std::vector<std::string>& arguments,
                    const Stead& stead, ErrorCollector& errors) {
  // Clang looks for the C++ library from where its program lies; from nowhere, it finds it through /lib, which is no
  // link to /usr/lib in the sandbox.
  constexpr const char* kProgram = "/usr/bin/cuco";
  return clang::tooling::buildASTFromCodeWithArgs(text, arguments, path, kProgram,
                                                  std::make_shared<clang::PCHContainerOperations>(),
                                                  clang::tooling::getClangStripDependencyFileAdjuster(), stead, &errors);
}

// Headers with braces in launches, among those that do not parse as they are.
Stead headers_as_clang_parses(const ErrorCollector& errors) {
  Stead stead;
  for (const std::string& file : errors.files()) {
    Result<std::string> text = read_file(file);
    if (!text) continue;
    std::string masked = as_clang_parses(*text);
    if (masked != *text) stead.emplace_back(std::filesystem::absolute(file).lexically_normal().string(), masked);
  }
  return stead;
}

Result<Unit> parse_text(const std::string& text, const std::string& path, const std::vector<std::string>& arguments) {
  std::string masked = as_clang_parses(text);
  ErrorCollector first, second;
  Unit unit = parse_in_stead(masked, path, arguments, {}, first);
  const ErrorCollector* errors = &first;
  if (Stead stead = headers_as_clang_parses(first); !stead.empty()) {
    unit = parse_in_stead(masked, path, arguments, stead, second);
    errors = &second;
  }
  if (!errors->lines().empty()) return Error{join(errors->lines(), "\n")};
  if (!unit) return Error{concat(path, ":1:1: error: Clang could not read this file")};
  return unit;
}

Result<ParsedFile> parse_file(const ParseRequest& request, size_t index) {
  const std::string& path = request.files[index];
  Result<std::string> text = read_file(path);
  if (!text) return text.error();
  if (Status fit = check_source_text(path, *text); !fit) return fit.error();
  std::vector<std::string> arguments = arguments_for(request, index);
  Result<Unit> unit = parse_text(*text, path, arguments);
  if (!unit) return unit.error();
  ParsedFile file{path, std::move(*text), std::move(*unit), nullptr, ""};
  if (language_of(request, index) != model::Language::Cuda || file.text.find("__CUDA_ARCH__") == std::string::npos) return file;
  arguments.emplace_back("-D__CUDA_ARCH__=900");
  Result<Unit> device_unit = parse_text(file.text, path, arguments);
  if (device_unit)
    file.device_unit = std::move(*device_unit);
  else
    file.device_error = device_unit.error().message;
  return file;
}

}  // namespace

Result<std::vector<ParsedFile>> parse_files(const ParseRequest& request) {
  std::vector<ParsedFile> files;
  for (size_t i = 0; i < request.files.size(); i++) {
    Result<ParsedFile> file = parse_file(request, i);
    if (!file) return file.error();
    files.push_back(std::move(*file));
  }
  return files;
}

bool run_guarded(llvm::function_ref<void()> work) {
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext guard;
  return guard.RunSafelyOnThread(work, kStackBytes);
}

}  // namespace cuco::frontend
