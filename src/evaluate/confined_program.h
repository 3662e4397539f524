// One program, baseline or candidate, built and run on the virtual cluster inside the sandbox. Every run has a folder
// of its own, the only one that it can write to: not the image, not another run's report, not the baseline's outputs.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/scratch_folder.h"
#include "evaluate/cache.h"
#include "evaluate/capture.h"
#include "evaluate/plain/region.h"
#include "evaluate/text/evolve_blocks.h"
#include "evaluate/tools.h"
#include "evaluate/verdict.h"
#include "evaluate/workload.h"
#include "model/program.h"
#include "vcluster/simulate.h"

namespace cuco::evaluate {

// Repeating: the timing build of the text with its region marked; the checking build is of that text too, where it is,
// and so is the timing build where the marks are what times the region.
enum class BuildKind { Timing, Checking, Repeating };

// Of one run; its memory is also what a compiler may use.
struct RunLimits {
  int processor_s = vcluster::kTimeLimitS;
  uint64_t memory_bytes = uint64_t{4} << 30;
  uint64_t written_bytes = uint64_t{2} << 30;
};

struct ProgramSetting {
  Configuration configuration;
  model::HardwareProfile profile;
  model::BuildFlags flags;
  std::filesystem::path folder;        // See EvaluationRequest.
  std::filesystem::path start_folder;  // Likewise.
  bool uses_harness = true;
  bool marks_bodies = false;  // The timing build is for a sampled run, which may leave out calls inside of kernels.
  bool sandbox = true;
  RunLimits limits;
  Cache cache;  // Of what is compiled.
};

struct RunRequest {
  BuildKind build = BuildKind::Timing;
  uint64_t schedule_seed = 0;
  std::string run_key = {};
  uint32_t warmups = 1;
  uint32_t iterations = 1;
  bool nudged = false;           // Repeat the iterations on nudged inputs; see precision.h.
  vcluster::CallLoop loop = {};  // Of a run that verifies; it has no warm-ups and iterations.
  bool sample = false;           // Full size: a few blocks stand for the others; outputs are not valid.
  bool compared = false;         // Then: parts of the last call's that are; needs a checking build.
  std::vector<vcluster::WantedPlace> wanted = {};   // Then: what had better be among them.
  std::vector<vcluster::Watch> watches = {};        // Of a program without the harness: see plain.h.
  std::vector<vcluster::Upload> perturbed = {};     // Likewise.
  std::vector<vcluster::ReadBack> read_backs = {};  // Likewise.
  bool own_device = false;                          // Likewise.
  bool trace = false;                               // Keep a timeline in RunOutcome::trace.
  bool accesses = false;                            // Keep which bytes blocks touch; needs a checking build.
  // Arguments and ranks instead of the setting's own; the profile stays.
  const Configuration* configuration = nullptr;
  int processor_s_max = 0;  // Of processor time, where the setting allows more; 0: that.
};

struct RunOutcome {
  vcluster::RunReport report;
  std::string stopped;  // The limit that ended the run; empty: it ended by itself.
  Capture capture = {};
  std::string trace = {};     // In Chrome's format, when it was asked for and the run got to its end.
  std::string accesses = {};  // As model/access_trace.h writes them; empty unless asked for.
  // Why kernels that were to communicate what they write ran as written, as the library says it.
  std::vector<std::string> fallbacks = {};
  std::string last_words = {};  // The last line that the program printed; for errors about a baseline.
};

class ConfinedProgram {
 public:
  static Result<ConfinedProgram> make(const std::vector<SourceFile>& files, const ProgramSetting& setting,
                                      const Tools& tools);

  // Where the timed region of a program without the harness stands: in this text, as the analysis finds it.
  Result<PlainRegion> find_region() const;
  // Marks the region before the program is built; see plain/region.h. Without one, or where that cannot be done, the
  // program stays as it is, and region() says why.
  void mark(Result<PlainRegion> region);
  const Result<PlainRegion>& region() const { return region_; }
  // The message of an error is the compiler's, with names of files as they were given.
  Status build(BuildKind kind);
  // After build() of that kind: see vcluster/allowed_imports.h.
  const std::vector<std::string>& unusual_imports(BuildKind kind) const {
    return images_[static_cast<size_t>(kind)]->unusual_imports;
  }
  bool is_built(BuildKind kind) const { return images_[static_cast<size_t>(kind)].has_value(); }
  // After build() of that kind. May be called by several threads.
  Result<RunOutcome> run(const RunRequest& request) const;
  // What the analysis makes of it. Runs in this process: only for baselines.
  Result<model::Program> analyse() const;
  // With nvcc, for the profile's architecture; only that it compiles.
  Status build_with_nvcc(const std::vector<std::filesystem::path>& library_folders) const;
  // Whether a build or run was ended by what this machine is or has: another may get further.
  bool hit_limit() const { return *hit_limit_; }

 private:
  ConfinedProgram(ScratchFolder scratch, const ProgramSetting& setting, const Tools& tools)
      : scratch_(std::move(scratch)), setting_(setting), tools_(tools) {}

  std::filesystem::path source_folder() const { return scratch_.path() / "source"; }
  // Its last part is that of the folder above: it is left out of messages in the same way.
  std::filesystem::path marked_folder() const { return scratch_.path() / "marked" / "source"; }
  std::filesystem::path text_folder(BuildKind kind) const;
  bool is_marked(BuildKind kind) const {
    return region_.ok() && (kind != BuildKind::Timing || !region_->by_events || region_->is_last);
  }
  Status write_marked(const PlainRegion& region) const;
  std::filesystem::path build_folder(BuildKind kind) const;
  std::filesystem::path profile_file() const;
  std::vector<std::filesystem::path> readable_folders() const;
  // Of the text as it is, without marks.
  model::BuildFlags own_flags() const;
  std::vector<std::string> compiled_files(const std::filesystem::path& folder) const;
  model::BuildFlags flags_of(BuildKind kind) const;
  vcluster::KnownObjects known_objects() const;
  vcluster::BuildRequest build_request(BuildKind kind) const;
  vcluster::SimulationRequest simulation(const RunRequest& request, const std::filesystem::path& folder) const;
  std::string without_folders(std::string message) const;
  std::string without_read_folders(std::string text) const;

  ScratchFolder scratch_;
  ProgramSetting setting_;
  Tools tools_;
  std::vector<std::string> names_;  // Of the source files.
  Result<PlainRegion> region_ = Error{"it is not marked"};
  std::optional<vcluster::Image> images_[3];
  std::shared_ptr<std::atomic<bool>> hit_limit_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace cuco::evaluate
