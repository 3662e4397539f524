#include "cli/gpu_campaign.h"

#include "base/text.h"

namespace cuco::cli {

namespace fs = std::filesystem;

namespace {

Status check_harness(const EvaluationOptions& options, const evaluate::EvaluationRequest& request) {
  if (!request.plain) return Done{};
  return Error{concat(options.command, ": error: ", options.target,
                      ": a program without the harness cannot be timed on GPUs, since nobody but itself knows its "
                      "inputs and outputs; 'cuco init' shows them and writes a workload that names them")};
}

std::string profile_for(const EvaluationOptions& options, const Machine& machine,
                        const evaluate::Configuration& configuration, const Context& context) {
  if (!options.profile.empty()) return options.profile;
  return measured_profile(machine.device.name, executor_of(options.executor), configuration.rank_count,
                          *context.share / "profiles");
}

evolve::GpuCampaign gpu_part(const EvaluationOptions& options, const GpuOptions& gpu, const Machine& machine) {
  evolve::GpuCampaign part;
  part.executor = options.executor;
  part.device = machine.device.name;
  part.software = machine.software();
  part.iterations = gpu.iterations;
  part.collective_ctas = gpu.collective_ctas;
  part.hosts = gpu.hosts.empty() ? "" : fs::absolute(gpu.hosts).lexically_normal().string();
  part.launcher = gpu.launcher;
  return part;
}

}  // namespace

Result<evaluate::EvaluationRequest> place_on_gpus(const EvaluationOptions& options, const GpuOptions& gpu,
                                                  const evaluate::Workload& workload, evolve::CampaignSetting& setting,
                                                  Context& context) {
  if (!context.share) return context.share.error();
  Result<evaluate::Configuration> configuration = gpu_configuration(options, workload);
  if (!configuration) return configuration.error();
  Result<Machine> machine = find_machine(context);
  if (!machine) return machine.error();
  Result<evaluate::Configuration> check =
      check_configuration(workload, *configuration, gpu, profile_for(options, *machine, *configuration, context));
  if (!check) return check.error();
  Result<evaluate::EvaluationRequest> request = make_evaluation(options_for(*check, options), context);
  if (!request) return request;
  if (Status fine = check_harness(options, *request); !fine) return fine.error();
  setting.configuration = *configuration;
  setting.gpu = gpu_part(options, gpu, *machine);
  setting.gpu->check = request->configuration;
  return request;
}

void take_evaluation(const evaluate::EvaluationRequest& request, evolve::CampaignSetting& setting) {
  if (!setting.gpu) setting.configuration = request.configuration;
  for (const evaluate::SourceFile& file : request.baseline) setting.baseline.push_back({file.name, file.text});
  setting.definitions = request.definitions;
  setting.standard = request.standard;
  setting.plain = request.plain;
  setting.time_limit_s = request.limits.processor_s;
  setting.with_nvcc = request.with_nvcc;
  setting.sandbox = request.sandbox;
  for (const fs::path& folder : request.include_folders)
    setting.place.include_folders.push_back(fs::absolute(folder).lexically_normal());
}

}  // namespace cuco::cli
