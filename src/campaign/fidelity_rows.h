// What `cuco fidelity` shows: programs with their times on both machines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evolve/fidelity.h"

namespace cuco::campaign {

struct FidelityRow {
  std::string plan;  // In words.
  std::optional<double> virtual_us, gpu_us;
  std::optional<double> virtual_compute_us;  // The part of the virtual time in which kernels of the program run.
  std::optional<double> anchored_us;         // The virtual time with that part stretched, see anchor().
  double spread_us = 0;                      // Of the measured time.
  std::string rejection;                     // Why there is no measured time; empty when there is one.
};

struct FidelityResult {
  std::string name, configuration, profile;
  std::string device, software;
  std::vector<FidelityRow> rows;
};

// How fast the kernels of one program are is a matter of its code, which one efficiency of a profile cannot say. So the
// compute of all rows is stretched by what the first one's needs without communication on the GPU; what is left of the
// error is that of communication and overlap.
void anchor(double compute_us, std::vector<FidelityRow>& rows);

std::vector<evolve::TimePair> pairs_of(const std::vector<FidelityRow>& rows);

std::string fidelity_text(const FidelityResult& result);
std::string fidelity_json(const FidelityResult& result);

}  // namespace cuco::campaign
