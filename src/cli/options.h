// Options that several commands have in common.
#pragma once

#include <string>
#include <vector>

#include "campaign/gpu_request.h"
#include "campaign/run.h"
#include "cli/command.h"
#include "frontend/frontend.h"

namespace cuco::cli {

// What a compiler takes and CLI11 does not: "-std=c++20", "-isystem DIR", "-include FILE" as long options.
std::vector<std::string> with_long_options(const std::vector<std::string>& arguments);

void add_program_options(CLI::App& command, frontend::ParseRequest& request);
// Its files, as `what` calls them, and how they are compiled, as a compiler is told or as a compile_commands.json has
// it.
void add_sources(CLI::App& command, std::vector<std::string>& files, model::BuildFlags& flags, const std::string& what);

// -n and --nodes: how ranks lie on the GPUs of a profile.
void add_layout(CLI::App& command, uint32_t& ranks, uint32_t& nodes, const std::string& otherwise);

void add_program_choice(CLI::App& command, campaign::EvaluationOptions& options);
void add_candidate_choice(CLI::App& command, campaign::EvaluationOptions& options);
// What inputs are drawn from, and how exactly they must arrive.
void add_data_choice(CLI::App& command, campaign::EvaluationOptions& options);
// Seconds and memory of one run.
void add_run_limits(CLI::App& command, campaign::EvaluationOptions& options);
void add_judging(CLI::App& command, campaign::EvaluationOptions& options);

void add_gpu_choice(CLI::App& command, campaign::GpuOptions& options);

void add_run_choice(CLI::App& command, campaign::RunChoice& choice);

// RUN: a run folder, or the name of one under ./runs.
void add_run_option(CLI::App& command, std::string& run);

}  // namespace cuco::cli
