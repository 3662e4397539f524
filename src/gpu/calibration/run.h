// Builds the programs of device/calibrate for this machine and runs them in a session, under the conditions in which
// candidates are timed.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/environment.h"
#include "base/process.h"
#include "base/result.h"
#include "gpu/calibration/measurements.h"
#include "gpu/session/session.h"
#include "gpu/toolchain.h"
#include "model/profile.h"
#include "vcluster/build_image.h"

namespace cuco::gpu {

struct MeasuringRequest {
  SessionRequest session;
  std::filesystem::path share;  // With device/.
  std::string date;             // For the record: "2026-11-15".
  std::function<void(const std::string&)> progress;
};

// What the programs printed, after lines that say where and how they ran: the text that parse_measurements() reads. A
// program that fails or does not end is an error.
Result<std::string> measure(const MeasuringRequest& request, const Toolchain& toolchain, ProcessRunner& processes,
                            const Environment& environment);

// The times of device/calibrate/products.cu on the virtual cluster.
Result<Measurements> simulate_products(const model::HardwareProfile& profile, const std::filesystem::path& share,
                                       const vcluster::LowerFunction& lower, ProcessRunner& processes);

}  // namespace cuco::gpu
