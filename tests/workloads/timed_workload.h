// Times of a workload's baseline in any of its configurations, as `cuco evaluate` takes them, but from one build and
// without verification: what comparing a twin with its full size needs.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "base/scratch_folder.h"
#include "evaluate/tools.h"
#include "evaluate/verdict.h"
#include "evaluate/workload.h"
#include "vcluster/build_image.h"

namespace cuco::evaluate {

class TimedWorkload {
 public:
  static Result<TimedWorkload> build(const std::filesystem::path& folder);

  const Workload& workload() const { return workload_; }

  // Full sizes by block sampling, others whole.
  Result<Timing> time(const Configuration& configuration) const;

 private:
  TimedWorkload(ScratchFolder scratch, Workload workload, Tools tools)
      : scratch_(std::move(scratch)), workload_(std::move(workload)), tools_(std::move(tools)) {}

  vcluster::BuildRequest build_request() const;

  ScratchFolder scratch_;
  Workload workload_;
  Tools tools_;
  vcluster::Image image_;
  std::string run_key_;
};

// Of the time, what the slowest rank computes (with copies) and what communication it sees, as shares of the whole.
struct Shares {
  double compute = 0, communication = 0;
};
Shares shares_of(const Timing& timing);

}  // namespace cuco::evaluate
