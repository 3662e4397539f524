#include "plugins/costs/shared_use.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <vector>

namespace cuco_costs {

using namespace llvm;

namespace {

using Variables = SmallPtrSet<const GlobalVariable*, 8>;

void collect(const Value* value, Variables& variables, SmallPtrSetImpl<const Function*>& callees) {
  if (const auto* function = dyn_cast<Function>(value)) callees.insert(function);
  const auto* variable = dyn_cast<GlobalVariable>(value);
  if (variable && variable->getSection() == "cuco_shared") variables.insert(variable);
  if (const auto* expression = dyn_cast<ConstantExpr>(value))
    for (const Use& use : expression->operands()) collect(use, variables, callees);
}

uint64_t shared_bytes_of(const Function& function) {
  Variables variables;
  SmallSetVector<const Function*, 8> reached;
  reached.insert(&function);
  for (size_t i = 0; i < reached.size(); i++) {
    SmallPtrSet<const Function*, 8> callees;
    for (const BasicBlock& block : *reached[i])
      for (const Instruction& instruction : block)
        for (const Use& use : instruction.operands()) collect(use, variables, callees);
    reached.insert(callees.begin(), callees.end());
  }
  uint64_t bytes = 0;
  const DataLayout& layout = function.getDataLayout();
  for (const GlobalVariable* variable : variables) bytes += layout.getTypeAllocSize(variable->getValueType());
  return bytes;
}

}  // namespace

void announce_shared_use(Module& module) {
  LLVMContext& context = module.getContext();
  Type *pointer = PointerType::getUnqual(context), *word = Type::getInt64Ty(context);
  StructType* entry = StructType::get(pointer, word);
  std::vector<Constant*> entries;
  for (Function& function : module)
    if (!function.isDeclaration() && !function.hasAvailableExternallyLinkage())
      entries.push_back(ConstantStruct::get(entry, &function, ConstantInt::get(word, shared_bytes_of(function))));
  ArrayType* type = ArrayType::get(entry, entries.size());
  auto* table = new GlobalVariable(module, type, true, GlobalValue::PrivateLinkage, ConstantArray::get(type, entries),
                                   "cuco_functions");
  Function* announce = Function::Create(FunctionType::get(Type::getVoidTy(context), false),
                                        GlobalValue::InternalLinkage, "cuco_announce_functions", module);
  IRBuilder<> builder(BasicBlock::Create(context, "", announce));
  FunctionCallee note = module.getOrInsertFunction("cuco_note_functions", builder.getVoidTy(), pointer, word);
  builder.CreateCall(note, {table, builder.getInt64(entries.size())});
  builder.CreateRetVoid();
  appendToGlobalCtors(module, announce, 0);
}

}  // namespace cuco_costs
