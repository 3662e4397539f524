// A hardware profile from measurements: every number with where it comes from. Numbers are those of all ranks at once,
// which is how programs run; what one rank reaches alone stands beside them. What the programs of device/calibrate
// cannot tell is taken from a profile given as a base, or derived, and says so.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/calibration/measurements.h"
#include "model/profile.h"

namespace cuco::gpu {

struct Calibration {
  model::HardwareProfile profile;
  // By "gpu.fp32_tflops", or "collectives.ncclAllGather": how the number came about, one line.
  std::map<std::string, std::string> sources;
  std::vector<std::string> doubts;  // What a reader should know: wide spreads, clocks that fell.
};

// An error names the number that makes no sense: a latency below 0, a rate beyond twice the datasheet's.
Result<Calibration> fit(const std::string& name, const Measurements& measurements,
                        const std::optional<model::HardwareProfile>& base);

// `simulated` is what device/calibrate/products.cu printed on the virtual cluster with this profile at efficiencies of
// 1, which are what fit() leaves. Sets them to how much of the clock's speed the real ones reach.
Status fit_efficiency(Calibration& calibration, const Measurements& measurements, const Measurements& simulated);

// The profile file: what it was measured with at its head, then every field with its source.
std::string profile_text(const Calibration& calibration, const Measurements& measurements);

}  // namespace cuco::gpu
