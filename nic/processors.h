// Whether a job's processes have the processors that they spin on. Where threads outnumber them, they take turns by the
// host's tick: two ranks on seven processors took 20.0 ms for what takes 12.8 on nine (H200, 2026-11-15).
#pragma once

#include <string>

namespace cuco::nic {

// The program's thread, the NIC's, and NCCL's for puts of kernels and for its own messages.
constexpr int kProcessorsOfAProcess = 4;
// NCCL keeps another for puts of the host as soon as there is a window, unless NCCL_RMA_DISABLE is 1.
constexpr int kProcessorsForHostPuts = 1;

int allowed_processors();

// Empty when they suffice. All processes are taken to be allowed the same ones.
std::string processors_doubt(int allowed, int process_count, bool has_host_puts);

}  // namespace cuco::nic
