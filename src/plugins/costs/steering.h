// Whether a value can decide what device code does: reach a branch, an address, or a call whose meaning is not known.
// Followed are values, locals, __shared__ variables, arguments and results of functions. What is stored into other
// memory is not followed to those who load it there.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "plugins/costs/places.h"

namespace cuco_costs {

class Steering {
 public:
  // `code` has all functions in which values are followed through memory.
  Steering(Places& places, const llvm::SetVector<const llvm::Function*>& code);

  bool steers(const llvm::Value* value);
  // What lies in a local or a variable: an alloca, a __shared__ variable, or an argument that points to it.
  bool steers_from(const llvm::Value* object);

 private:
  struct Pass {
    const llvm::CallBase* call;
    unsigned argument;
  };

  void index(const llvm::Instruction& instruction);
  bool run();
  bool follow_object(const llvm::Value* object);
  bool follow_value(const llvm::Value* value);
  bool follow_use(const llvm::Use& use);
  bool follow_store(const llvm::StoreInst& store, const llvm::Value* value);
  bool follow_argument(const llvm::CallBase& call, const llvm::Use& use);
  bool follow_pass(const Pass& pass);
  bool follow_result(const llvm::Function& function);
  void taint_memory(const llvm::Value* pointer);

  Places& places_;
  llvm::DenseMap<const llvm::Value*, std::vector<const llvm::LoadInst*>> loads_;  // By root.
  llvm::DenseMap<const llvm::Value*, std::vector<Pass>> passes_;                  // Calls that get a pointer to it.
  llvm::SetVector<const llvm::Value*> values_, objects_;                          // Reached so far.
};

}  // namespace cuco_costs
