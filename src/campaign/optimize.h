// From a program to the fastest verified way to overlap its communication: fast path and search, in a new run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "campaign/gpu_request.h"
#include "campaign/run.h"

namespace cuco::campaign {

struct OptimizeOptions {
  EvaluationOptions evaluation;
  GpuOptions gpu;
  RunChoice choice;
  evolve::SearchOptions search;
  std::string proposers;  // Empty: rules, and the models that are named.
  std::vector<std::string> models;
  std::optional<double> budget_usd, budget_minutes;
  std::string out;
};

Status optimize(const OptimizeOptions& options, Context& context);

}  // namespace cuco::campaign
