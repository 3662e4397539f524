#include "campaign/gpu_setting.h"

#include "base/shell_word.h"
#include "base/text.h"
#include "gpu/nccl_library.h"

namespace cuco::campaign {

namespace fs = std::filesystem;

namespace {

// Of all GPUs that are there the one that ranks run on, or run on first.
Result<gpu::Device> find_device(const GpuOptions& gpu, Context& context) {
  Result<std::vector<gpu::Device>> devices = gpu::find_devices(context.processes);
  if (!devices) return devices.error();
  if (gpu.device < devices->size()) return (*devices)[gpu.device];
  return Error{concat("--device ", gpu.device, ": there ", devices->size() == 1 ? "is " : "are ",
                      counted(devices->size(), "GPU"), ", counted from 0")};
}

Result<evolve::GpuCampaign> gpu_part(const EvaluationOptions& options, const GpuOptions& gpu, Context& context) {
  Result<gpu::Device> device = find_device(gpu, context);
  if (!device) return device.error();
  Result<gpu::Toolchain> toolchain = gpu::find_toolchain(context.processes, context.environment);
  if (!toolchain) return toolchain.error();
  evolve::GpuCampaign part;
  part.executor = options.executor;
  part.device = device->name;
  part.software = concat("driver ", device->driver, ", CUDA ", toolchain->cuda, ", NCCL ",
                         gpu::nccl_version_text(toolchain->nccl_version), ", ", toolchain->mpi);
  part.iterations = gpu.iterations;
  part.collective_ctas = gpu.collective_ctas_max;
  part.hosts = gpu.hosts.empty() ? "" : fs::absolute(gpu.hosts).lexically_normal().string();
  part.launcher = gpu.launcher;
  part.device_index = gpu.device;
  return part;
}

}  // namespace

Result<evaluate::EvaluationRequest> place_on_gpus(const EvaluationOptions& options, const GpuOptions& gpu,
                                                  evolve::CampaignSetting& setting, Context& context) {
  Result<gpu::GpuRequest> request = make_gpu_request(options, gpu, context);
  if (!request) return request.error();
  if (Status fine = gpu::check_request(*request); !fine) return fine.error();
  Result<evolve::GpuCampaign> part = gpu_part(options, gpu, context);
  if (!part) return part.error();
  setting.gpu = *std::move(part);
  return request->request;
}

void take_evaluation(const evaluate::EvaluationRequest& request, evolve::CampaignSetting& setting) {
  setting.configuration = request.configuration;
  setting.proofs = request.proofs;
  setting.baseline = request.baseline;
  setting.flags = model::absolute(request.flags);
  setting.place.folder = request.folder;
  setting.place.start_folder = request.start_folder;
  setting.plain = request.plain;
  setting.time_limit_s = request.limits.processor_s;
  setting.memory_gib = request.limits.memory_bytes >> 30;
  setting.with_nvcc = request.with_nvcc;
  setting.sandbox = request.sandbox;
  setting.input_key = request.input_key;
  setting.allow_lossy = request.allow_lossy;
}

gpu::SessionRequest session_request(const evolve::CampaignSetting& setting) {
  gpu::SessionRequest request;
  request.executor = setting.gpu->executor == to_text(gpu::Executor::Mpi) ? gpu::Executor::Mpi : gpu::Executor::OneGpu;
  request.rank_count = setting.configuration.rank_count;
  request.node_count = setting.configuration.node_count;
  request.network = setting.configuration.network;
  request.hosts = setting.gpu->hosts;
  request.launcher = setting.gpu->launcher;
  request.device = setting.gpu->device_index;
  request.collective_ctas_max = setting.gpu->collective_ctas;
  return request;
}

std::string gpu_selection_text(const EvaluationOptions& evaluation, const GpuOptions& options) {
  if (evaluation.executor == EvaluationOptions().executor) return "";
  std::string text = concat(" --on ", evaluation.executor);
  GpuOptions usual;
  if (!options.hosts.empty()) text += concat(" --hosts ", shell_word(options.hosts));
  if (!options.launcher.empty()) text += concat(" --launcher ", shell_word(options.launcher));
  if (options.iterations != usual.iterations) text += concat(" --iterations ", options.iterations);
  if (options.device != usual.device) text += concat(" --device ", options.device);
  if (options.collective_ctas_max != usual.collective_ctas_max) text += concat(" --ctas ", options.collective_ctas_max);
  return text;
}

}  // namespace cuco::campaign
