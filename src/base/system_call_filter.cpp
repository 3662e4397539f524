#include "base/system_call_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <cerrno>
#include <cstddef>
#include <vector>

namespace cuco {

#ifdef __x86_64__

namespace {

constexpr uint32_t kForeignAbi = 0x40000000;  // Calls by their x32 numbers would pass the list.

sock_filter load(size_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)); }
sock_filter answer(uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }

}  // namespace

std::string filter_denying(std::span<const uint32_t> calls) {
  constexpr uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;
  std::vector<sock_filter> program = {
      load(offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
      answer(SECCOMP_RET_KILL_PROCESS),
      load(offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kForeignAbi, 0, 1),
      answer(SECCOMP_RET_KILL_PROCESS),
  };
  for (uint32_t number : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    program.push_back(answer(kRefuse));
  }
  program.push_back(answer(SECCOMP_RET_ALLOW));
  return {reinterpret_cast<const char*>(program.data()), program.size() * sizeof(sock_filter)};
}

#else

std::string filter_denying(std::span<const uint32_t>) { return ""; }

#endif

bool apply_filter(const std::string& filter) {
  if (filter.empty()) return true;
  // The kernel only reads it.
  auto* instructions = reinterpret_cast<sock_filter*>(const_cast<char*>(filter.data()));
  sock_fprog program = {static_cast<unsigned short>(filter.size() / sizeof(sock_filter)), instructions};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace cuco
