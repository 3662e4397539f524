// Crashes of the program under study become findings.
#pragma once

namespace cuco::vcluster {

// From here on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT end the run with a finding that says what was hit and by
// whom, and so does taking half of the host's memory or all of the processor time that is allowed.
void catch_faults();

}  // namespace cuco::vcluster
