#include <algorithm>
#include <array>

#include "base/text.h"
#include "evaluate/text/block_scan.h"

namespace cuco::evaluate {

namespace {

using Names = std::set<std::string>;

struct NameGroup {
  const char* reason;
  Names names;
};

const std::vector<NameGroup>& forbidden_groups() {
  static const std::vector<NameGroup> groups = {
      {"starts processes or threads",
       {"system",  "popen",       "fork",         "vfork",          "_Fork",       "clone",   "execl",
        "execlp",  "execle",      "execv",        "execve",         "execvp",      "execvpe", "execveat",
        "fexecve", "posix_spawn", "posix_spawnp", "pthread_create", "thrd_create", "jthread", "daemon"}},
      {"loads code or makes memory executable",
       {"dlopen", "dlmopen", "dlsym", "dlvsym", "dlclose", "dladdr", "dl_iterate_phdr", "_DYNAMIC", "link_map",
        "_r_debug", "mmap", "mmap64", "mprotect", "pkey_mprotect", "mremap", "munmap", "memfd_create", "brk", "sbrk"}},
      {"calls the system",
       {"syscall", "__syscall", "prctl", "ptrace", "personality", "ioctl", "setrlimit", "prlimit", "process_vm_readv",
        "process_vm_writev", "getpid", "getppid"}},
      {"opens files",
       {"fopen",    "fopen64", "freopen",        "fdopen",         "open64",        "openat",  "creat",      "ifstream",
        "ofstream", "fstream", "basic_ifstream", "basic_ofstream", "basic_fstream", "filebuf", "filesystem", "shm_open",
        "tmpfile",  "mkstemp", "unlink",         "opendir",        "readlink",      "sendfile"}},
      {"opens the network", {"socket", "socketpair", "getaddrinfo", "gethostbyname"}},
      {"reads the environment",
       {"getenv", "secure_getenv", "setenv", "putenv", "unsetenv", "clearenv", "environ", "__environ", "getauxval",
        "gethostname", "uname"}},
      {"ends the program or leaves the region",
       {"exit",    "_exit",     "_Exit",     "quick_exit", "at_quick_exit", "atexit",       "on_exit",
        "abort",   "terminate", "kill",      "raise",      "tgkill",        "pthread_exit", "setjmp",
        "_setjmp", "longjmp",   "sigsetjmp", "siglongjmp", "setcontext",    "swapcontext",  "makecontext"}},
      {"handles signals",
       {"sigaction", "sigprocmask", "pthread_sigmask", "sigaltstack", "signalfd", "SIGTERM", "SIGINT", "SIGKILL",
        "SIGSEGV", "SIGALRM", "SIGHUP", "SIG_IGN", "SIG_DFL", "alarm", "setitimer", "timer_create"}},
      {"reads or waits for a clock of the host",
       {"clock_gettime", "clock_getres", "clock_nanosleep", "gettimeofday", "timespec_get", "chrono", "steady_clock",
        "system_clock", "high_resolution_clock", "this_thread", "usleep", "nanosleep", "__rdtsc", "_rdtsc",
        "__builtin_ia32_rdtsc", "__builtin_readcyclecounter", "MPI_Wtime"}},
      {"depends on where code lies",
       {"__builtin_return_address", "__builtin_frame_address", "backtrace", "__builtin_extract_return_addr",
        "__builtin_dwarf_cfa", "__builtin_eh_return", "__builtin_unwind_init", "__builtin_setjmp", "__builtin_longjmp",
        "__builtin_thread_pointer", "__seg_fs", "__seg_gs", "_readfsbase_u64", "_writefsbase_u64",
        "__builtin_ia32_rdfsbase64", "__builtin_ia32_wrfsbase64"}},
      {"draws what a seed does not decide", {"random_device", "getrandom", "getentropy", "arc4random"}},
      {"changes what the compiler does", {"_Pragma", "__attribute__", "__attribute", "__declspec", "__pragma"}},
  };
  return groups;
}

// Common words, forbidden only where they are called and belong to no object.
const std::vector<NameGroup>& forbidden_calls() {
  static const std::vector<NameGroup> groups = {
      {"opens files", {"open"}},
      {"reads or waits for a clock of the host", {"time", "clock", "sleep"}},
  };
  return groups;
}

const char* reason_in(const std::vector<NameGroup>& groups, const std::string& name) {
  for (const NameGroup& group : groups)
    if (group.names.contains(name)) return group.reason;
  return nullptr;
}

bool is_harness_name(const std::string& name, const FrozenNames& frozen) {
  return name == "cuco" || name.find("cuco_") != name.npos || name.starts_with("CUCO_") || name == "Harness" ||
         name == "harness_detail" || frozen.harnesses.contains(name);
}

class NameScan {
 public:
  NameScan(const std::vector<Token>& tokens, const FrozenNames& frozen, std::vector<Complaint>& complaints)
      : tokens_(tokens), frozen_(frozen), complaints_(complaints) {}

  void run() {
    for (at_ = 0; at_ < tokens_.size(); at_++) {
      if (tokens_[at_].is("[") && after(1).is("[")) attribute();
      if (tokens_[at_].kind == TokenKind::Identifier) name();
    }
  }

 private:
  const Token& after(size_t count) const { return at_ + count < tokens_.size() ? tokens_[at_ + count] : none_; }
  const Token& before(size_t count) const { return at_ >= count ? tokens_[at_ - count] : none_; }
  void complain(std::string what) { complaints_.push_back({tokens_[at_].line, std::move(what)}); }

  void name() {
    const std::string& text = tokens_[at_].text;
    bool is_member = before(1).is(".") || before(1).is("->");
    bool is_std = before(1).is("::") && before(2).is("std");
    if (is_harness_name(text, frozen_) && !is_library_use())
      complain(concat("'", text, "' belongs to the harness, which a candidate does not call"));
    else if (const char* reason = reason_in(forbidden_groups(), text); reason && !is_member)
      complain(concat("'", text, "' ", reason));
    else if (const char* why = reason_in(forbidden_calls(), text); why && !is_member && after(1).is("("))
      complain(concat("'", text, "' ", why));
    else if (is_std && (text == "thread" || text == "async"))
      complain(concat("'std::", text, "' starts processes or threads"));
    else if (text == "extern" && after(1).kind == TokenKind::String && !after(2).is("__global__"))
      complain("names of C may be called, not declared: their headers do that");
    else if (is_library_name(text) && is_defined_here())
      complain(concat("'", text, "' is a name of a library; a candidate may use it but not define it"));
  }

  // cuco::comm is for programs to use, and <cuco/comm/...> to include, but not to add to.
  bool is_library_use() const {
    bool is_reopened = before(1).is("namespace") && !before(2).is("using");
    return tokens_[at_].is("cuco") && (after(1).is("::") || after(1).is("/")) && after(2).is("comm") && !is_reopened;
  }

  // "type name(" and "name =" define; "return name(" and "x = name(" use.
  bool is_defined_here() const {
    if (after(1).is("=") || after(1).is("{")) return !before(1).is(":") && !before(1).is("::") && after(1).is("=");
    if (!after(1).is("(")) return false;
    static const Names statements = {"return",   "else",     "do",  "case", "throw", "co_return",
                                     "co_yield", "co_await", "and", "or",   "not"};
    const Token& previous = before(1);
    return previous.kind == TokenKind::Identifier && !statements.contains(previous.text) && !previous.in_directive;
  }

  void attribute() {
    static const Names harmless = {"maybe_unused", "nodiscard", "likely", "unlikely", "fallthrough", "noreturn"};
    const Token& word = after(2);
    if (word.kind != TokenKind::Identifier || harmless.contains(word.text)) return;
    if (after(3).is("]") || after(3).is("::") || after(3).is("(") || after(3).is(",") || word.is("using"))
      complain(concat("attribute '", word.text, "' changes what the compiler does"));
  }

  const std::vector<Token>& tokens_;
  const FrozenNames& frozen_;
  std::vector<Complaint>& complaints_;
  size_t at_ = 0;
  Token none_{TokenKind::Punctuation, ""};
};

}  // namespace

bool is_library_name(const std::string& name) {
  static constexpr std::array<std::string_view, 8> prefixes = {"cuda",  "cu_",  "nccl",    "MPI_",
                                                               "PMPI_", "cuco", "Harness", "cublas"};
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

void scan_names(const std::vector<Token>& tokens, const FrozenNames& frozen, std::vector<Complaint>& complaints) {
  NameScan(tokens, frozen, complaints).run();
}

}  // namespace cuco::evaluate
