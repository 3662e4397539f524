// What the program around a region does to its buffers between two calls, as the race detector sees it: work on the
// rank's own device that comes after all its host has waited for, and that its host waits for in turn.
#pragma once

#include <string>
#include <vector>

#include "vcluster/runtime/checkers/access.h"
#include "vcluster/runtime/harness/buffers.h"

namespace cuco::vcluster {

// `lane` names the rank: what it does follows each other. Host memory is left to others.
void note_local_access(const void* lane, const void* memory, size_t bytes, AccessKind kind, const std::string& what);
void note_outputs_read(const void* lane, const std::vector<HarnessBuffer>& buffers, uint32_t call);
// Inputs are drawn, everything else is poisoned.
void note_buffers_written(const void* lane, const std::vector<HarnessBuffer>& buffers, uint32_t call);

}  // namespace cuco::vcluster
