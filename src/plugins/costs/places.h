// Which memory an address of device code may lie in, and what a function stores to. Read before anything is inlined,
// so that functions are those of the program; helpers that merely pass a pointer on are seen through.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <optional>
#include <vector>

namespace cuco_costs {

using Roots = llvm::SmallVector<const llvm::Value*, 2>;

// In terms of one function. Memory of its own and that of the virtual cluster itself is no place.
struct Place {
  enum class Kind {
    Parameter,      // What the parameter points to.
    Field,          // What the pointer points to that lies `offset` bytes behind the parameter.
    Variable,       // A __shared__ or __device__ variable.
    DynamicShared,  // extern __shared__.
    Anywhere,
  };
  Kind kind = Kind::Anywhere;
  unsigned parameter = 0;
  int64_t offset = 0;
  const llvm::GlobalVariable* variable = nullptr;

  bool operator==(const Place& other) const = default;
};

bool is_shared_variable(const llvm::Value* value);

class Places {
 public:
  // The values that an address is made from: allocas, arguments, variables, loads, calls.
  Roots roots_of(const llvm::Value* pointer);
  // Empty where the root is memory that only its own thread knows, or that of the virtual cluster.
  static std::optional<Place> place_of(const llvm::Value* root);
  // With everything that it calls.
  std::vector<Place> stores_of(const llvm::Function& function);

 private:
  Roots returned_roots(const llvm::Function& function);
  void add_stores(const llvm::Instruction& instruction, std::vector<Place>& places);
  void add_places_of(const llvm::Value* pointer, std::vector<Place>& places);
  void add_stores_of_call(const llvm::CallBase& call, std::vector<Place>& places);

  llvm::DenseMap<const llvm::Value*, Roots> roots_;
  llvm::DenseMap<const llvm::Function*, std::vector<Place>> stores_;
};

}  // namespace cuco_costs
