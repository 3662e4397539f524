#include "vcluster/runtime/engine/confinement.h"

#include <sys/syscall.h>

#include "base/system_call_filter.h"

namespace cuco::vcluster {

bool deny_what_only_the_start_needs() {
  constexpr uint32_t kDenied[] = {SYS_execve, SYS_execveat, SYS_prctl, SYS_seccomp, SYS_personality};
  return apply_filter(filter_denying(kDenied));
}

}  // namespace cuco::vcluster
