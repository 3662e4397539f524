// Bytes of nobody's behind the locals whose addresses libraries get. A text read into a variable that has no room for its
// last zero is the commonest fault of host code that other compilers' frames let pass: their neighbours are padding. Here
// the neighbour could be anything that the optimiser keeps in memory, and the run would not be that of the program.
#pragma once

#include <llvm/IR/Function.h>

namespace cuco_costs {

// After guards, which compare with the sizes that the program gave its locals.
void add_slack(llvm::Function& function);

}  // namespace cuco_costs
