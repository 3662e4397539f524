#include "evaluate/system_calls.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <vector>

namespace cuco::evaluate {

#ifdef __x86_64__

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
};
constexpr uint32_t kForeignAbi = 0x40000000;  // Calls by their x32 numbers would pass the list.

sock_filter load(size_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)); }
sock_filter answer(uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }

}  // namespace

std::string system_call_filter() {
  constexpr uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;
  std::vector<sock_filter> program = {
      load(offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
      answer(SECCOMP_RET_KILL_PROCESS),
      load(offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kForeignAbi, 0, 1),
      answer(SECCOMP_RET_KILL_PROCESS),
  };
  for (uint32_t number : kDenied) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    program.push_back(answer(kRefuse));
  }
  program.push_back(answer(SECCOMP_RET_ALLOW));
  return {reinterpret_cast<const char*>(program.data()), program.size() * sizeof(sock_filter)};
}

#else

std::string system_call_filter() { return ""; }

#endif

}  // namespace cuco::evaluate
