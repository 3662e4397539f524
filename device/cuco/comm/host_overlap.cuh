// As host.cuh, for programs whose exchanges run beside other work.
#pragma once

#include <cuco/comm/host.cuh>
#include <cuco/comm/overlap.cuh>

namespace cuco::comm_host {

void wait_all() { ::cuco::comm::wait_all(); }
void untracked() { ::cuco::comm::untracked(); }
void fence(cudaStream_t stream) { ::cuco::comm::fence(stream); }

}  // namespace cuco::comm_host
