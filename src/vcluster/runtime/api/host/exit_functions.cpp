#include "vcluster/runtime/api/host/exit_functions.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <vector>

#include "base/text.h"
#include "vcluster/runtime/engine/world.h"

extern "C" bool cuco_in_library;

namespace cuco::vcluster {

namespace {

struct ExitFunction {
  void (*function)(void*);
  void* argument;
};

std::map<const Process*, std::vector<ExitFunction>>& exit_functions() {
  static std::map<const Process*, std::vector<ExitFunction>> all;
  return all;
}

bool running() { return world != nullptr && world->current_host != nullptr; }

bool is_in_image(void (*function)(void*), const Process& process) {
  Dl_info found = {};
  return dladdr(reinterpret_cast<void*>(function), &found) != 0 && found.dli_fname &&
         std::filesystem::path(found.dli_fname).filename() == concat("rank", process.rank, ".so");
}

// The C library has taken it off its list.
void leave_process(int code, void*) {
  if (!running()) return;
  on_exit(leave_process, nullptr);
  cuco_in_library = false;
  std::exit(code);
}

}  // namespace

void run_exit_functions() {
  std::vector<ExitFunction>& pending = exit_functions()[&current_process()];
  while (!pending.empty()) {
    ExitFunction last = pending.back();
    pending.pop_back();
    last.function(last.argument);
  }
}

void catch_exits_of_libraries() { on_exit(leave_process, nullptr); }

}  // namespace cuco::vcluster

using namespace cuco::vcluster;

extern "C" int __cxa_atexit(void (*function)(void*), void* argument, void* library) {
  if (running() && is_in_image(function, current_process())) {
    exit_functions()[&current_process()].push_back({function, argument});
    return 0;
  }
  using Real = int (*)(void (*)(void*), void*, void*);
  static const Real real = reinterpret_cast<Real>(dlsym(RTLD_NEXT, "__cxa_atexit"));
  return real(function, argument, library);
}
