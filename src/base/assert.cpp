#include "base/assert.h"

#include <unistd.h>

#include <cstdio>

namespace cuco {

// Exits with the status that stands for a bug in cuco; output written so far is kept, destructors are not trusted.
void fail_assertion(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: bug in cuco: assertion failed: %s\n", file, line, condition);
  std::fflush(nullptr);
  _exit(70);
}

}  // namespace cuco
