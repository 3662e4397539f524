// What a command that measures on GPUs asks of its user, and the two configurations that follow: the one that runs on
// the GPUs, and the one that the virtual cluster checks.
#pragma once

#include <filesystem>
#include <string>

#include "cli/command.h"
#include "cli/evaluation_input.h"
#include "evolve/campaign.h"
#include "gpu/session.h"
#include "gpu/toolchain.h"

namespace cuco::cli {

struct GpuOptions {
  std::string hosts, launcher;
  std::string check_configuration;  // Empty: the twin, or the smallest that is verified.
  uint32_t iterations = 10;
  uint32_t collective_ctas = 8;
};

void add_gpu_choice(CLI::App& command, GpuOptions& options);

// Any executor but the virtual cluster.
bool is_on_gpus(const EvaluationOptions& options);
// An error lists the executors there are.
Status check_executor(const EvaluationOptions& options);
gpu::Executor executor_of(const std::string& name);

// What there is to measure on. An error says what is missing.
struct Machine {
  gpu::Toolchain toolchain;
  gpu::Device device;  // The first of those that ranks run on.

  std::string software() const;  // "driver 580.65, CUDA 13.0, NCCL 2.30.7, Open MPI 4.1.6"
};
Result<Machine> find_machine(Context& context);

// The configuration of the GPUs, as the options choose it; several nodes only when they are asked for.
Result<evaluate::Configuration> gpu_configuration(const EvaluationOptions& options, const evaluate::Workload& workload);

// For what configuration of the workload the virtual cluster stands in: with the same ranks, on the profile that was
// asked for, else on one measured on this GPU where there is one, else its own.
Result<evaluate::Configuration> check_configuration(const evaluate::Workload& workload,
                                                    const evaluate::Configuration& configuration,
                                                    const GpuOptions& options, const std::string& profile);

// The options that give this configuration on the virtual cluster.
EvaluationOptions options_for(const evaluate::Configuration& check, EvaluationOptions options);

// "h200-mps4" for four ranks on an "NVIDIA H200"; empty when there is no such profile.
std::string measured_profile(const std::string& device_name, gpu::Executor executor, uint32_t ranks,
                             const std::filesystem::path& profiles);

gpu::SessionRequest session_request(const evolve::CampaignSetting& setting);

// The options of add_gpu_choice and --on, as they would be typed.
std::string gpu_selection_text(const EvaluationOptions& evaluation, const GpuOptions& options);

}  // namespace cuco::cli
