#include "timed_workload.h"

#include "base/files.h"
#include "base/text.h"
#include "evaluate/input_key.h"
#include "evaluate/reference.h"
#include "frontend/lower.h"
#include "model/profile_toml.h"

namespace cuco::evaluate {

namespace {

Result<std::vector<SourceFile>> read_sources(const Workload& workload) {
  std::vector<SourceFile> files;
  for (const std::filesystem::path& path : workload.files) {
    Result<std::string> text = read_file(path);
    if (!text) return text.error();
    files.push_back({path.lexically_relative(workload.folder).string(), *text});
  }
  return files;
}

}  // namespace

Result<TimedWorkload> TimedWorkload::build(const std::filesystem::path& folder) {
  Result<Workload> workload = load_workload(folder);
  if (!workload) return workload.error();
  Result<Tools> tools = find_tools(share_folder().value(), RealEnvironment());
  if (!tools) return tools.error();
  Result<ScratchFolder> scratch = ScratchFolder::make("cuco-twins");
  if (!scratch) return scratch.error();
  TimedWorkload timed(std::move(*scratch), *workload, *tools);
  Result<std::vector<SourceFile>> sources = read_sources(*workload);
  if (!sources) return sources.error();
  timed.run_key_ = run_key_of("", digest_of(*sources), kTimingSeed);
  RealProcessRunner processes;
  Result<vcluster::Image> image = vcluster::build_image(timed.build_request(), frontend::lower_to_cpp, processes);
  if (!image) return image.error();
  timed.image_ = *image;
  return timed;
}

vcluster::BuildRequest TimedWorkload::build_request() const {
  vcluster::BuildRequest request;
  for (const std::filesystem::path& file : workload_.files) request.files.push_back(file.string());
  request.share = tools_.share;
  request.harness = true;
  request.cost_plugin = tools_.cost_plugin;
  request.folder = scratch_.path();
  return request;
}

Result<Timing> TimedWorkload::time(const Configuration& configuration) const {
  Result<model::HardwareProfile> profile = profile_of(configuration, tools_.share / "profiles");
  if (!profile) return profile.error();
  vcluster::SimulationRequest request;
  request.build = build_request();
  request.profile = scratch_.path() / "profile.toml";
  if (Status written = write_file(request.profile, model::to_toml(*profile)); !written) return written.error();
  request.harness.run_key = run_key_;
  request.harness.warmups = kWarmups;
  request.harness.iterations = kTimedIterations;
  for (const auto& [name, value] : configuration.parameters) request.arguments.push_back(concat(name, "=", value));
  request.rank_count = configuration.rank_count;
  request.node_count = configuration.node_count;
  request.sample = configuration.purpose == Purpose::Full;
  request.time_limit_s = 600;
  request.runner = tools_.runner;
  RealProcessRunner processes;
  Result<vcluster::ScheduleResult> run = vcluster::run_schedule(request, image_, 0, processes);
  if (!run) return run.error();
  if (run->report.verdict != "ok" || vcluster::has_errors(run->report))
    return Error{concat(configuration.name, ": ", vcluster::to_text(run->report))};
  return timing_of(run->report);
}

Shares shares_of(const Timing& timing) {
  return {(timing.path.compute_us + timing.path.copy_us) / timing.median_us,
          timing.path.exposed_communication_us / timing.median_us};
}

}  // namespace cuco::evaluate
