// What the baseline does on these GPUs: its outputs for the inputs of the timed run, its time, and the time that each
// of its halves needs alone. Every candidate is compared with it, so it is kept in the cache.
#pragma once

#include <string>

#include "gpu/evaluate.h"

namespace cuco::gpu {

struct Reference {
  evaluate::Capture capture;
  bool capture_sampled = false;
  evaluate::Timing timing;  // With both bounds; a bound is 0 where that half cannot run alone.
  DeviceState before, after;
};

// Whatever a time depends on besides the program: GPU, driver, versions, ranks, variables.
std::string machine_text(const GpuRequest& request, const Session& session, const Toolchain& toolchain);

evaluate::ClockState clocks_of(const DeviceState& state);
DeviceState state_from(const evaluate::ClockState& clocks);

// One call of the baseline's region may take half a minute; a candidate gets many times what the baseline needs, so
// that one that hangs costs seconds.
constexpr uint32_t kBaselineRegionLimitS = 30;
uint32_t region_limit_s(const evaluate::Timing& baseline);

RunRequest timed_run(const GpuRequest& request, uint32_t region_limit);
evaluate::ProgramSetting setting_of(const GpuRequest& request);

// `program` is the baseline; it is built only when the cache does not have everything. An error means that the baseline
// does not pass.
Result<Reference> find_reference(const GpuRequest& request, const std::string& machine, Program& program,
                                 Session& session);

}  // namespace cuco::gpu
