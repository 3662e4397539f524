#include "plugins/costs/warp_lanes.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <vector>

namespace cuco_costs {

using namespace llvm;

namespace {

constexpr unsigned kLanes = 32;
constexpr uint64_t kSectorBytes = 32, kWordBytes = 4, kBanks = 32;
constexpr unsigned kDepthMax = 64;
// Made-up values are far apart and as aligned as sizes and addresses usually are.
constexpr uint64_t kMadeUpUnit = 1u << 12;
constexpr uint64_t kBlockWidth = 256;

uint64_t masked(uint64_t value, const Type* type) {
  const auto* integer = dyn_cast<IntegerType>(type);
  unsigned bits = integer ? integer->getBitWidth() : 64;
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

int64_t as_signed(uint64_t value, const Type* type) {
  const auto* integer = dyn_cast<IntegerType>(type);
  unsigned bits = integer ? integer->getBitWidth() : 64;
  return bits >= 64 ? static_cast<int64_t>(value) : SignExtend64(value, bits);
}

uint64_t binary(unsigned opcode, uint64_t a, uint64_t b, const Type* type) {
  int64_t sa = as_signed(a, type), sb = as_signed(b, type);
  switch (opcode) {
    case Instruction::Add:
      return a + b;
    case Instruction::Sub:
      return a - b;
    case Instruction::Mul:
      return a * b;
    case Instruction::UDiv:
      return b == 0 ? 0 : a / b;
    case Instruction::URem:
      return b == 0 ? 0 : a % b;
    case Instruction::SDiv:
      return sb == 0 || sb == -1 ? 0 - a : static_cast<uint64_t>(sa / sb);
    case Instruction::SRem:
      return sb == 0 || sb == -1 ? 0 : static_cast<uint64_t>(sa % sb);
    case Instruction::Shl:
      return b >= 64 ? 0 : a << b;
    case Instruction::LShr:
      return b >= 64 ? 0 : a >> b;
    case Instruction::AShr:
      return static_cast<uint64_t>(sa >> std::min<uint64_t>(b, 63));
    case Instruction::And:
      return a & b;
    case Instruction::Or:
      return a | b;
    default:
      return a ^ b;
  }
}

uint64_t compared(CmpInst::Predicate predicate, uint64_t a, uint64_t b, const Type* type) {
  return ICmpInst::compare(APInt(64, static_cast<uint64_t>(as_signed(a, type)), true),
                           APInt(64, static_cast<uint64_t>(as_signed(b, type)), true), predicate);
}

std::array<uint64_t, kLanes> all(uint64_t value) {
  std::array<uint64_t, kLanes> lanes;
  lanes.fill(value);
  return lanes;
}

bool differs(const std::optional<std::array<uint64_t, kLanes>>& lanes) {
  return lanes && std::any_of(lanes->begin(), lanes->end(), [&](uint64_t lane) { return lane != lanes->front(); });
}

// Sectors or words, without a gap.
struct Units {
  uint64_t first, last;
  uint64_t count() const { return last - first + 1; }
};

// What all lanes touch, each unit once. A lane's bytes may be a whole array that is filled at once.
std::vector<Units> touched(const std::array<uint64_t, kLanes>& lanes, uint64_t bytes, uint64_t unit_bytes) {
  std::vector<Units> by_lane, all;
  for (uint64_t address : lanes)
    if (bytes > 0 && address + bytes - 1 >= address)
      by_lane.push_back({address / unit_bytes, (address + bytes - 1) / unit_bytes});
  std::sort(by_lane.begin(), by_lane.end(), [](const Units& a, const Units& b) { return a.first < b.first; });
  for (const Units& units : by_lane) {
    if (!all.empty() && units.first <= all.back().last)
      all.back().last = std::max(all.back().last, units.last);
    else
      all.push_back(units);
  }
  return all;
}

bool is_integer_like(const Value* value) { return value->getType()->isIntegerTy() || value->getType()->isPointerTy(); }

}  // namespace

WarpLanes::Lanes WarpLanes::made_up(const Value* value) {
  uint64_t number = numbers_.insert({value, numbers_.size() + 1}).first->second;
  return all(masked((2 * number + 1) * kMadeUpUnit, value->getType()));
}

WarpLanes::Lanes WarpLanes::lanes_of(const Value* value) {
  std::optional<Lanes> found = evaluate(value);
  return found ? *found : made_up(value);
}

std::optional<WarpLanes::Lanes> WarpLanes::evaluate(const Value* value) {
  if (const auto* constant = dyn_cast<ConstantInt>(value))
    return all(constant->getBitWidth() <= 64 ? constant->getZExtValue() : 0);
  const auto* instruction = dyn_cast<Instruction>(value);
  const auto* argument = dyn_cast<Argument>(value);
  if ((!instruction && !argument) || !is_integer_like(value)) return made_up(value);
  if (auto found = known_.find(value); found != known_.end()) return found->second;
  if (depth_ >= kDepthMax) return made_up(value);
  if (!under_way_.insert({value, true}).second) return std::nullopt;
  depth_++;
  std::optional<Lanes> lanes = argument ? of_argument(*argument) : compute(*instruction);
  depth_--;
  under_way_.erase(value);
  if (!lanes) return std::nullopt;
  for (uint64_t& lane : *lanes) lane = masked(lane, value->getType());
  return known_[value] = *lanes;
}

std::optional<WarpLanes::Lanes> WarpLanes::compute(const Instruction& instruction) {
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) return of_load(*load);
  if (const auto* element = dyn_cast<GetElementPtrInst>(&instruction)) return of_address(*element);
  if (const auto* phi = dyn_cast<PHINode>(&instruction)) return of_phi(*phi);
  if (const auto* call = dyn_cast<CallBase>(&instruction)) return of_call(*call);
  bool known = isa<BinaryOperator>(instruction) || isa<CastInst>(instruction) || isa<ICmpInst>(instruction) ||
               isa<SelectInst>(instruction) || isa<FreezeInst>(instruction);
  bool plain = all_of(instruction.operands(), [](const Use& use) { return is_integer_like(use); });
  return known && plain ? of_operands(instruction) : made_up(&instruction);
}

std::optional<WarpLanes::Lanes> WarpLanes::of_load(const LoadInst& load) {
  int64_t offset = 0;
  const Value* base = GetPointerBaseWithConstantOffset(load.getPointerOperand(), offset, layout_);
  if (base->getName() == "blockDim" && offset == 0) return all(kBlockWidth);
  if (base->getName() == "threadIdx") {
    Lanes lanes = all(0);
    for (unsigned i = 0; offset == 0 && i < kLanes; i++) lanes[i] = i;
    return lanes;
  }
  Places asked;
  if (std::optional<Lanes> given = of_local(base, offset, asked)) return given;
  std::optional<Lanes> address = evaluate(load.getPointerOperand());
  if (!address) return std::nullopt;
  Lanes lanes = made_up(&load);
  for (unsigned i = 0; i < kLanes; i++) lanes[i] += (*address)[i] == (*address)[0] ? 0 : i * 97 * kMadeUpUnit;
  return lanes;
}

std::optional<WarpLanes::Lanes> WarpLanes::of_address(const GetElementPtrInst& element) {
  unsigned bits = layout_.getIndexTypeSizeInBits(element.getType());
  MapVector<Value*, APInt> variable;
  APInt constant(bits, 0);
  if (!cast<GEPOperator>(element).collectOffset(layout_, bits, variable, constant)) return made_up(&element);
  std::optional<Lanes> lanes = evaluate(element.getPointerOperand());
  for (const auto& [index, scale] : variable) {
    std::optional<Lanes> steps = lanes ? evaluate(index) : std::nullopt;
    if (!steps) return std::nullopt;
    for (unsigned i = 0; i < kLanes; i++)
      (*lanes)[i] += static_cast<uint64_t>(as_signed((*steps)[i], index->getType())) * scale.getZExtValue();
  }
  for (unsigned i = 0; lanes && i < kLanes; i++) (*lanes)[i] += static_cast<uint64_t>(constant.getSExtValue());
  return lanes;
}

// What comes around a loop depends on the phi itself: what enters it is taken.
std::optional<WarpLanes::Lanes> WarpLanes::of_phi(const PHINode& phi) {
  for (const Value* incoming : phi.incoming_values())
    if (std::optional<Lanes> lanes = evaluate(incoming)) return lanes;
  return std::nullopt;
}

// Whoever calls it, also from itself, does not know less than it does.
std::optional<WarpLanes::Lanes> WarpLanes::of_argument(const Argument& argument) {
  for (const CallBase* call : calls_.of(*argument.getParent())) {
    if (argument.getArgNo() >= call->arg_size()) continue;
    if (std::optional<Lanes> given = evaluate(call->getArgOperand(argument.getArgNo())); differs(given)) return given;
  }
  return made_up(&argument);
}

std::optional<WarpLanes::Lanes> WarpLanes::of_call(const CallBase& call) {
  for (const Function* callee : calls_.reached_by(call))
    for (const BasicBlock& block : *callee) {
      const auto* end = dyn_cast<ReturnInst>(block.getTerminator());
      if (!end || !end->getReturnValue()) continue;
      if (std::optional<Lanes> given = evaluate(end->getReturnValue()); differs(given)) return given;
    }
  return made_up(&call);
}

// Empty unless something that differs by lane was stored in the local variable that the pointer leads to.
// Each place is asked once: among functions that call each other there are far more paths than places.
std::optional<WarpLanes::Lanes> WarpLanes::of_local(const Value* base, int64_t offset, Places& asked) {
  if (!asked.insert({base, offset}).second) return std::nullopt;
  if (const auto* local = dyn_cast<AllocaInst>(base)) return of_stores(*local, offset);
  const auto* argument = dyn_cast<Argument>(base);
  if (!argument || depth_ >= kDepthMax) return std::nullopt;
  depth_++;
  std::optional<Lanes> found;
  for (const CallBase* call : calls_.of(*argument->getParent())) {
    if (found || argument->getArgNo() >= call->arg_size()) break;
    int64_t further = 0;
    const Value* given = GetPointerBaseWithConstantOffset(call->getArgOperand(argument->getArgNo()), further, layout_);
    found = of_local(given, offset + further, asked);
  }
  depth_--;
  return found;
}

std::optional<WarpLanes::Lanes> WarpLanes::of_stores(const AllocaInst& local, int64_t offset) {
  SmallVector<const Value*, 8> pointers = {&local};
  for (size_t i = 0; i < pointers.size(); i++)
    for (const User* user : pointers[i]->users()) {
      if (isa<GetElementPtrInst>(user)) pointers.push_back(user);
      const auto* store = dyn_cast<StoreInst>(user);
      if (!store || store->getPointerOperand() != pointers[i]) continue;
      int64_t place = 0;
      const Value* base = GetPointerBaseWithConstantOffset(store->getPointerOperand(), place, layout_);
      if (base == &local && place != offset) continue;
      if (std::optional<Lanes> stored = evaluate(store->getValueOperand()); differs(stored)) return stored;
    }
  return std::nullopt;
}

std::optional<WarpLanes::Lanes> WarpLanes::of_operands(const Instruction& instruction) {
  SmallVector<Lanes, 3> operands;
  for (const Use& use : instruction.operands()) {
    std::optional<Lanes> lanes = evaluate(use);
    if (!lanes) return std::nullopt;
    operands.push_back(*lanes);
  }
  const Type* type = instruction.getOperand(0)->getType();
  Lanes result = operands[0];
  for (unsigned i = 0; i < kLanes; i++) {
    if (isa<BinaryOperator>(instruction))
      result[i] = binary(instruction.getOpcode(), operands[0][i], operands[1][i], type);
    else if (isa<SExtInst>(instruction))
      result[i] = static_cast<uint64_t>(as_signed(operands[0][i], type));
    else if (const auto* compare = dyn_cast<ICmpInst>(&instruction))
      result[i] = compared(compare->getPredicate(), operands[0][i], operands[1][i], type);
    else if (isa<SelectInst>(instruction))
      result[i] = operands[0][i] ? operands[1][i] : operands[2][i];
  }
  return result;
}

uint64_t WarpLanes::sector_bytes(const Value* pointer, uint64_t bytes) {
  uint64_t sectors = 0;
  for (const Units& units : touched(lanes_of(pointer), bytes, kSectorBytes)) sectors += units.count();
  return sectors * kSectorBytes / kLanes;
}

uint64_t WarpLanes::bank_bytes(const Value* pointer, uint64_t bytes) {
  std::array<uint64_t, kBanks> words{};
  for (const Units& units : touched(lanes_of(pointer), bytes, kWordBytes)) {
    for (uint64_t& bank : words) bank += units.count() / kBanks;
    for (uint64_t at = 0; at < units.count() % kBanks; at++) words[(units.first + at) % kBanks]++;
  }
  return *std::max_element(words.begin(), words.end()) * kWordBytes;
}

}  // namespace cuco_costs
