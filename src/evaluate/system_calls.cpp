#include "evaluate/system_calls.h"

#include <sys/syscall.h>

#include "base/system_call_filter.h"

namespace cuco::evaluate {

namespace {

constexpr uint32_t kDenied[] = {
    SYS_clone,
    SYS_clone3,
    SYS_fork,
    SYS_vfork,
    SYS_socket,
    SYS_socketpair,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_unshare,
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_shmget,
    SYS_msgget,
    SYS_semget,
    SYS_memfd_create,
    SYS_memfd_secret,
};

}  // namespace

std::string system_call_filter() { return filter_denying(kDenied); }

}  // namespace cuco::evaluate
