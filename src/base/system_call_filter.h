// A filter of the kernel (seccomp) that denies a list of system calls with EPERM, to this process and all that descend
// from it. Filters add up and cannot be taken off.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace cuco {

// In the form that bubblewrap's --seccomp reads. Empty on machines other than x86-64.
std::string filter_denying(std::span<const uint32_t> calls);

// For the calling thread. False when the kernel refuses it; true where there is no filter to apply.
bool apply_filter(const std::string& filter);

}  // namespace cuco
