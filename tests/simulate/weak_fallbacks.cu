// Weak functions of the program's own are for libraries that lack them: what the library has wins.
// ranks: 2
// expect: ok
// expect: last error "", a name of our own: fallback, windows: 1, a later release: 0
#include <cstdio>

#include "support.h"

extern "C" __attribute__((weak)) const char* ncclGetLastError(ncclComm_t) { return "the fallback"; }
extern "C" __attribute__((weak)) const char* ncclNameOfOurOwn() { return "fallback"; }
extern "C" ncclResult_t ncclOfALaterRelease(ncclComm_t comm);

#pragma weak ncclCommWindowRegister
#pragma weak ncclOfALaterRelease

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  std::printf("last error \"%s\", a name of our own: %s, windows: %d, a later release: %d\n", ncclGetLastError(ranks.comm),
              ncclNameOfOurOwn(), ncclCommWindowRegister != nullptr, ncclOfALaterRelease != nullptr);
  return 0;
}
