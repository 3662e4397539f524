// What stands in the way of a session, each with what the user can do about it.
#pragma once

#include <optional>

#include "gpu/nccl_library.h"
#include "gpu/session/session.h"

namespace cuco::gpu {

// Of the request alone.
Status check_request(const SessionRequest& request);
// Of several ranks on one GPU: MPS, and an NCCL that lets them.
Status check_sharing(const Device& device, const std::optional<NcclLibrary>& nccl, const Environment& environment);
// Does the GPU's mode let processes of this executor in?
Status check_compute_mode(const Device& device, Executor executor, const Environment& environment);

}  // namespace cuco::gpu
