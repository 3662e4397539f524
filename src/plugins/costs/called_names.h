// What the guards know of functions by their names.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/ADT/StringSwitch.h>

namespace cuco_costs {

// Functions that return memory of the runner or the C library, which the code of headers uses as they say.
inline bool gives_memory(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases("cuco_warp_exchange", "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc", true)
      .Default(false);
}

// cuco_rt::Arguments<...>::run, pack and their kin of cuco/execute.h, which the runner calls with the arguments it
// keeps.
inline bool handles_arguments(llvm::StringRef name) {
  if (!name.starts_with("_ZN7cuco_rt") && !name.starts_with("_ZZN7cuco_rt")) return false;
  return name.ends_with("3runEPKv") || name.contains("4packEPPv");
}

// Of these, the one that calls the kernel.
inline bool runs_kernel(llvm::StringRef name) {
  return name.starts_with("_ZN7cuco_rt9Arguments") && name.ends_with("3runEPKv");
}

// Functions that the runner provides: what they allocate is its own.
inline bool is_of_runner(llvm::StringRef name) {
  for (const char* prefix : {"cuda", "cu", "nccl", "MPI_", "cublas", "pthread_", "sem_", "omp_", "__kmpc_", "nvtx"})
    if (name.starts_with(prefix)) return true;
  return llvm::StringSwitch<bool>(name)
      .Cases("clock_gettime", "gettimeofday", "clock_nanosleep", "nanosleep", "usleep", "sleep", "sched_yield", true)
      .Cases("exit", "quick_exit", "getenv", "gethostname", "syscall", "__cxa_thread_atexit", true)
      .Cases("atexit", "__cxa_atexit", true)
      .Default(false);
}

}  // namespace cuco_costs
