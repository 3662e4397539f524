// Processes of this machine that began with a certain variable in their environment: the ranks of a session, wherever
// their launcher has put them. Open MPI gives each rank a process group of its own, so that ranks outlive a launcher
// that is killed.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace cuco::gpu {

// `mark` is NAME=VALUE. Processes of other users cannot be read and are not found.
std::vector<pid_t> processes_marked(const std::string& mark);

// Until none is left or a second has passed; a rank that is killed may take its time inside the driver.
void kill_marked(const std::string& mark);

}  // namespace cuco::gpu
