// What the runner gives up for good before the program's first instruction, in the sandbox: bubblewrap has to start it,
// so nobody else can deny these.
#pragma once

namespace cuco::vcluster {

// False when the kernel refuses.
bool deny_what_only_the_start_needs();

}  // namespace cuco::vcluster
