// Which system calls an untrusted program may not make from its first instruction on. The runner is one thread in one
// process that reads and writes files; what starts processes, opens sockets, looks into other processes or makes memory
// that nobody counts is denied. What only the start needs, the runner denies itself
// (vcluster/runtime/engine/confinement.h).
#pragma once

#include <string>

namespace cuco::evaluate {

// In the form that bubblewrap's --seccomp reads. Empty on machines other than x86-64.
std::string system_call_filter();

}  // namespace cuco::evaluate
