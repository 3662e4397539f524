// Builds and times programs on GPUs for a search: several builds side by side, one run at a time.
#pragma once

#include <string>
#include <vector>

#include "evaluate/text/evolve_blocks.h"
#include "evaluate/verdict.h"
#include "gpu/session/session.h"

namespace cuco::gpu {

struct Job {
  std::vector<SourceFile> files;
  Variables variables;        // Besides the session's.
  uint32_t iterations = 10;   // That are timed.
  double bound_below_us = 0;  // Timed without its communication as well if it takes less than this.
};

class JobExecutor {
 public:
  virtual ~JobExecutor() = default;

  // Called by several threads. What nvcc refuses is kept for `run`.
  virtual void build(const Job& job) = 0;
  // Called by one thread. The verdict is that of the GPUs alone; an error means that none can be had.
  virtual Result<evaluate::Verdict> run(const Job& job) = 0;
};

}  // namespace cuco::gpu
