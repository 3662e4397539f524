// Which GPUs the ranks of a session run on, and whether each rank of `mpi` has one of its own.
#pragma once

#include <vector>

#include "gpu/session/session.h"

namespace cuco::gpu {

// Those of this machine that $CUDA_VISIBLE_DEVICES leaves, in its order; all when it is not set. An error when it names
// what is not there.
Result<std::vector<Device>> visible_devices(std::vector<Device> all, const Environment& environment);

// GPUs of this machine that ranks run on: of one-gpu the one, of mpi one a rank; none when all hosts are others. The
// error says on which host ranks would take turns.
Result<std::vector<Device>> place_ranks(const SessionRequest& request, const Launcher& launcher,
                                        const std::vector<Host>& hosts, ProcessRunner& processes,
                                        const Environment& environment);

}  // namespace cuco::gpu
