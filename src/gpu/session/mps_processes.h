// MPS's processes of this machine, read from /proc: a control daemon and the servers that it started.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

namespace cuco::gpu {

// The daemon that wrote its number into its pipe folder; 0 when that is not a living process of MPS.
pid_t mps_daemon_of(const std::filesystem::path& pipe_folder);
// It and its servers.
std::vector<pid_t> mps_processes_of(pid_t daemon);
bool any_mps_runs(const std::vector<pid_t>& processes);
// Kills those that still are processes of MPS.
void kill_mps(const std::vector<pid_t>& processes);

}  // namespace cuco::gpu
