// The library's function of a name that the executable has taken over. Needs a library that is linked as a shared one.
#pragma once

#include <dlfcn.h>

namespace cuco::runner {

template <typename Function>
Function next_function(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace cuco::runner
