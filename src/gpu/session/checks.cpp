#include "gpu/session/checks.h"

#include "base/text.h"
#include "gpu/session/mps.h"
#include "gpu/toolchain.h"

namespace cuco::gpu {

namespace {

constexpr uint32_t kMpsClientsMax = 48;  // Of one GPU, since Volta.

Status check_nodes(const SessionRequest& request) {
  if (request.node_count <= 1) return Done{};
  if (request.rank_count % request.node_count != 0)
    return Error{
        concat(counted(request.rank_count, "rank"), " cannot be spread evenly over ", request.node_count, " nodes")};
  return Done{};
}

Status check_one_gpu(const SessionRequest& request) {
  if (!request.hosts.empty())
    return Error{concat(request.hosts.string(), ": a hosts file is for --on mpi; --on one-gpu is this machine")};
  if (request.rank_count > kMpsClientsMax)
    return Error{concat(request.rank_count, " ranks on one GPU: MPS takes ", kMpsClientsMax, " at most")};
  return check_nodes(request);
}

Status check_nccl(const std::optional<NcclLibrary>& nccl, const std::string& architecture) {
  if (nccl && (nccl->version == 0 || nccl->version >= kNcclWithMultiRank)) return Done{};
  std::string lacking =
      nccl ? concat("NCCL ", nccl_version_text(nccl->version), " in ", nccl->folder.string(),
                    " refuses two ranks on a GPU; it runs one rank per GPU (--on mpi)")
           : std::string("there is no libnccl.so.2 in $NCCL_HOME/lib, $LD_LIBRARY_PATH or the loader's folders");
  return Error{concat(lacking, ". For several ranks on one GPU ", nccl_from_source(architecture))};
}

}  // namespace

Status check_request(const SessionRequest& request) {
  if (request.rank_count == 0) return Error{"a program has at least one rank"};
  return request.executor == Executor::OneGpu ? check_one_gpu(request) : Done{};
}

Status check_sharing(const Device& device, const std::optional<NcclLibrary>& nccl, const Environment& environment) {
  if (!environment.find_program("nvidia-cuda-mps-control"))
    return Error{
        "several ranks on one GPU need MPS, and nvidia-cuda-mps-control is not on PATH: without it they would take "
        "turns and nothing could be timed. It comes with NVIDIA's driver (nvidia-compute-utils of Ubuntu, "
        "nvidia-cuda-mps of Debian)"};
  return check_nccl(nccl, device.architecture);
}

Status check_compute_mode(const Device& device, Executor executor, const Environment& environment) {
  std::string name = concat("GPU ", device.index, " (", device.name, ")");
  if (device.compute_mode == "Prohibited")
    return Error{concat(name, " is in compute mode Prohibited; nvidia-smi -i ", device.index, " -c DEFAULT frees it")};
  if (device.compute_mode != "Exclusive_Process" || executor == Executor::Mpi) return Done{};
  int foreign = foreign_mps(environment.variable("CUDA_MPS_PIPE_DIRECTORY").value_or(""));
  if (foreign == 0) return Done{};
  return Error{concat(name, " is in compute mode Exclusive_Process and may be held by the MPS daemon of process ",
                      foreign,
                      ", which is not cuco's: stop that (echo quit | nvidia-cuda-mps-control) or set nvidia-smi "
                      "-i ",
                      device.index, " -c DEFAULT")};
}

}  // namespace cuco::gpu
