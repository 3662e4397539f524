// Whether a job's processes have the processors that they spin on. Where threads outnumber them, they take turns of
// milliseconds: whole runs took up to twice their time that way (H200, two ranks on seven processors, 2026-11-15).
#pragma once

#include <string>

namespace cuco::nic {

// The program's thread, the NIC's, and NCCL's for puts of kernels and for its own messages.
constexpr int kProcessorsOfAProcess = 4;

int allowed_processors();

// Empty when they suffice. All processes are taken to be allowed the same ones.
std::string processors_doubt(int allowed, int process_count);

}  // namespace cuco::nic
