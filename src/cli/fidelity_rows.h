// What `cuco fidelity` shows: programs with their times on both machines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evolve/fidelity.h"

namespace cuco::cli {

struct FidelityRow {
  std::string plan;  // In words.
  std::optional<double> virtual_us, gpu_us;
  double spread_us = 0;   // Of the measured time.
  std::string clock;      // What the virtual time is of: "full size" by block sampling, or "twin".
  std::string rejection;  // Why there is no measured time; empty when there is one.
};

struct FidelityResult {
  std::string name, configuration, profile;
  std::string device, software;
  std::vector<FidelityRow> rows;
};

std::vector<evolve::TimePair> pairs_of(const std::vector<FidelityRow>& rows);

std::string fidelity_text(const FidelityResult& result);
std::string fidelity_json(const FidelityResult& result);

}  // namespace cuco::cli
