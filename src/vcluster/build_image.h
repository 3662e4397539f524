// From source files to the shared object that a run loads: preprocess, lower, compile, link. Clang 19 does the work as
// a separate process, except for the lowering, which the caller provides: it needs Clang's library.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/result.h"
#include "model/build_flags.h"
#include "vcluster/lowering_input.h"

namespace cuco::vcluster {

// Where the files of a program lie whose folder has a random name: what is compiled does not depend on that name.
inline constexpr const char* kStableFolder = "/cuco-program";

// Objects that were compiled before, by the digest of all that goes into them.
struct KnownObjects {
  std::string version;  // Of all tools.
  std::function<std::optional<std::string>(const std::string& key)> find;
  std::function<void(const std::string& key, const std::string& object)> keep;
};

struct BuildRequest {
  std::vector<std::string> files;  // Of which languages, model::language_of() says.
  model::BuildFlags flags;
  int cuda_arch = 900;                 // What __CUDA_ARCH__ says to device code.
  NameSet implemented;                 // Functions that the runner provides; empty: nothing is refused.
  bool harness = false;                // The runner calls the region: see device/cuco/harness.h.
  std::filesystem::path share;         // Holds device/.
  std::filesystem::path cost_plugin;   // cuco-costs.so; empty: the clock ignores compute, and nothing guards memory.
  std::filesystem::path check_plugin;  // cuco-checks.so; empty: memory accesses are not reported.
  // The image asks, before it calls a device function that only computes in a kernel that communicates, whether to.
  bool marks_bodies = false;
  std::filesystem::path folder;  // Where intermediate files and the image go; must exist.
  std::string random_folder;     // kStableFolder in all that is compiled; empty: paths stay.
  KnownObjects known;            // Without `find` there are none.

  // The checking build: slower, and finds what only shows in single accesses to memory.
  bool checks() const { return !check_plugin.empty(); }
};

// What the compiler knows to be wrong, as a finding.
struct CompilerWarning {
  std::string kind;
  std::string text;  // With file:line:col.

  bool operator==(const CompilerWarning&) const = default;
};

struct Image {
  std::filesystem::path path;
  bool ranks_are_processes = false;  // Else one process drives all GPUs.
  std::vector<std::string> unusual_imports = {};  // See allowed_imports.h.
  std::vector<CompilerWarning> warnings = {};
};

// To C++ text, or messages with file:line:col.
using LowerFunction = std::function<Result<std::string>(const LoweringInput&)>;

// Every file is lowered before the first is compiled, so that all refusals come together.
Result<Image> build_image(const BuildRequest& request, const LowerFunction& lower, ProcessRunner& processes);

}  // namespace cuco::vcluster
