// Placement specialised: the text of kernels of which some blocks communicate and the others compute. What both have in
// common with kernels that send what they write is fuse.cpp's.
#pragma once

#include <string>

#include "rewrite/passes/pass.h"
#include "rewrite/text/fuse_text.h"
#include "rewrite/text/launch_text.h"

namespace cuco::rewrite {

// Why the directive of a specialised site is not written, whatever the program; empty when it is.
std::string specialised_obstacle(const Work& work, Index site);

// Why the kernel `called` by a launch cannot be: how it would go on after its name; empty when it can.
std::string specialised_kernel_obstacle(const KernelParts& kernel, const std::string& called);

// What such a kernel does; `reach` is "Lsa", "Gin" or "Hybrid".
std::string specialised_text(const KernelParts& kernel, const std::string& body, const std::string& reach);

// "cuco::comm::resident_blocks(gemm_with_s1, 256, 0), ": how many of its blocks the device holds.
std::string room_text(const std::string& kernel, const LaunchText& launch);

}  // namespace cuco::rewrite
