// Which system calls an untrusted program may not make, as a filter of the kernel (seccomp). The runner is one thread
// in one process that reads and writes files; what starts processes, opens sockets or looks into other processes is
// denied.
#pragma once

#include <string>

namespace cuco::evaluate {

// In the form that bubblewrap's --seccomp reads. Empty on machines other than x86-64.
std::string system_call_filter();

}  // namespace cuco::evaluate
