// Crashes of the program under study become findings.
#pragma once

namespace cuco::vcluster {

// From here on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT end the run with a finding that says what was hit and by
// whom; in a kernel they break its device. Taking all of the memory or processor time that is allowed, or waiting for
// something outside, ends the run too.
void catch_faults();

}  // namespace cuco::vcluster
