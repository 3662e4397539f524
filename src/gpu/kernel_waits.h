// Where a kernel may wait for other ranks, read from its text: signals, barriers, loops that look at memory again and
// again. A kernel that hangs on a GPU says nothing; its text says what it can hang at.
#pragma once

#include <string>
#include <vector>

#include "evaluate/text/evolve_blocks.h"

namespace cuco::gpu {

struct Wait {
  std::string file;
  int line = 0;
  std::string what;  // "waitSignal", "sync", "a loop"
};

// `kernel` is a name as a debugger shows it: "void tiles::send<float>(float*, int)". Functions that it calls are looked
// into where the files define them. In the order in which they are met.
std::vector<Wait> waits_of(const std::string& kernel, const std::vector<SourceFile>& files);

}  // namespace cuco::gpu
