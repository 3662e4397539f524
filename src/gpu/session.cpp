#include "gpu/session.h"

namespace cuco::gpu {

const char* to_text(Executor executor) { return executor == Executor::Mpi ? "mpi" : "one-gpu"; }

}  // namespace cuco::gpu
