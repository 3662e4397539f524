// What a process leaves behind when it ends. A warning: the program may be right and merely untidy.
// Findings: leak, and collective_mismatch for a group that was never ended.
#pragma once

namespace cuco::vcluster {

struct Process;

void check_leaks(const Process& process);

}  // namespace cuco::vcluster
