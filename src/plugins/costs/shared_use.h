// Tells the virtual cluster, when it loads an image, how much static shared memory each function of it uses, with
// everything that it calls.
#pragma once

#include <llvm/IR/Module.h>

namespace cuco_costs {

void announce_shared_use(llvm::Module& module);

}  // namespace cuco_costs
