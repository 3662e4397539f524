#include "campaign/gpu_run.h"

#include <algorithm>

#include "campaign/gpu_setting.h"
#include "evolve/baselines.h"
#include "gpu/session_executor.h"

namespace cuco::campaign {

namespace {

constexpr uint32_t kFullIterationsFactor = 3;
// GPUs that ranks share have somewhat more multiprocessors; every CTA of a collective must be resident.
constexpr uint32_t kSharedCtas = 128;

Result<std::unique_ptr<gpu::JobExecutor>> open_gpus(const CampaignRun& run, Context& context) {
  Result<gpu::Toolchain> toolchain = gpu::find_toolchain(context.processes, context.environment);
  if (!toolchain) return toolchain.error();
  gpu::ExecutorRequest request;
  request.request.request = run.request;
  request.request.session = session_request(run.setting);
  request.request.session.nccl_library = toolchain->nccl_library;
  request.request.session.report = [&context](const std::string& what) { context.err << what << "\n"; };
  request.device = run.setting.gpu->device;
  request.toolchain = *std::move(toolchain);
  return gpu::open_executor(request, context.processes, context.environment);
}

evolve::BaselineSearch::Texts texts_on_windows(const evolve::PlanWriter& writer) {
  evolve::BaselineSearch::Texts texts;
  auto write = [&](uint32_t slices) {
    if (Result<std::vector<SourceFile>> files = writer.write_windows(slices)) texts.on_windows[slices] = *files;
  };
  write(1);
  for (uint32_t slices : evolve::kBaselineSlices) write(slices);
  return texts;
}

}  // namespace

evolve::NextBaselines gpu_baselines(const CampaignRun& run, const store::Candidate& as_written) {
  const evolve::GpuCampaign& gpu = *run.setting.gpu;
  bool shared = session_request(run.setting).executor == gpu::Executor::OneGpu;
  uint32_t most = shared ? kSharedCtas / std::max(1u, run.setting.configuration.rank_count) : kSharedCtas;
  auto search = std::make_shared<evolve::BaselineSearch>(as_written, texts_on_windows(run.writer),
                                                         evolve::cta_limits(most), gpu.collective_ctas);
  return [search](const std::vector<std::optional<double>>& us) { return search->next(us); };
}

evolve::GpuEvaluatorSetting gpu_evaluator_setting(const CampaignRun& run, Context& context) {
  evolve::GpuEvaluatorSetting setting;
  setting.setting = evolve::gpu_verdict_setting(run.setting);
  setting.executor = run.setting.gpu->executor;
  setting.screen_iterations = run.setting.gpu->iterations;
  setting.full_iterations = kFullIterationsFactor * run.setting.gpu->iterations;
  setting.job_count = run.jobs;
  setting.open = [&run, &context] { return open_gpus(run, context); };
  return setting;
}

}  // namespace cuco::campaign
