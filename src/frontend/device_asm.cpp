#include "frontend/device_asm.h"

#include <cctype>

#include "base/text.h"
#include "frontend/device_calls.h"

namespace cuco::frontend {
namespace {

struct Instruction {
  std::string_view name;      // Whole leading components of the mnemonic: "st" is not "stmatrix".
  std::string_view operands;  // As KnownCall::effects, for its memory operands in order.
};

// The first row that matches counts.
constexpr Instruction kInstructions[] = {
    {"ld", "r"},
    {"ldu", "r"},
    {"ldmatrix", "r"},
    {"st", "w"},
    {"stmatrix", "w"},
    {"red", "b"},
    {"atom", "b"},
    {"multimem.ld_reduce", "r"},
    {"multimem.st", "w"},
    {"multimem.red", "b"},
    {"cp.async.mbarrier", "b"},
    {"cp.async", "wrb"},
    {"cp.reduce.async", "br"},
    {"mbarrier", "b"},
    {"prefetch", "-"},
    {"prefetchu", "-"},
    {"applypriority", "-"},
    {"discard", "w"},
};

bool is_named(std::string_view mnemonic, std::string_view name) {
  return mnemonic.starts_with(name) && (mnemonic.size() == name.size() || mnemonic[name.size()] == '.');
}

bool is_block_barrier(std::string_view mnemonic) {
  for (std::string_view name : {"bar.sync", "bar.red", "bar.cta.sync", "bar.cta.red", "barrier.sync", "barrier.red",
                                "barrier.cta.sync", "barrier.cta.red"})
    if (is_named(mnemonic, name)) return true;
  return false;
}

// Drops what may stand before the mnemonic: opening braces and a predicate.
std::string_view without_guard(std::string_view instruction) {
  instruction = trim(instruction);
  while (instruction.starts_with('{') || instruction.starts_with('}')) instruction = trim(instruction.substr(1));
  if (!instruction.starts_with('@')) return instruction;
  size_t space = instruction.find_first_of(" \t");
  return space == std::string_view::npos ? std::string_view() : trim(instruction.substr(space));
}

std::string_view mnemonic_of(std::string_view instruction) {
  return instruction.substr(0, instruction.find_first_of(" \t\n"));
}

// The operands that open a bracket; what follows inside it is an offset or coordinates.
std::vector<uint32_t> memory_operands(std::string_view instruction) {
  std::vector<uint32_t> operands;
  for (size_t at = instruction.find('['); at != std::string_view::npos; at = instruction.find('[', at + 1)) {
    std::string_view inside = trim(instruction.substr(at + 1));
    if (!inside.starts_with('%')) continue;
    uint32_t operand = 0;
    for (size_t i = 1; i < inside.size() && i < 4 && std::isdigit(static_cast<unsigned char>(inside[i])) != 0; ++i)
      operand = operand * 10 + static_cast<uint32_t>(inside[i] - '0');
    operands.push_back(operand);
  }
  return operands;
}

AsmAccess access_by(std::string_view mnemonic, uint32_t operand, size_t position) {
  for (const Instruction& known : kInstructions)
    if (is_named(mnemonic, known.name) && position < known.operands.size())
      return {operand, access_of_letter(known.operands[position]), false};
  return {operand, model::Access::ReadWrite, true};
}

}  // namespace

AsmFacts read_asm(std::string_view text) {
  AsmFacts facts;
  for (const std::string& part : split(text, ';')) {
    std::string_view instruction = without_guard(part);
    std::string_view mnemonic = mnemonic_of(instruction);
    facts.block_barrier |= is_block_barrier(mnemonic);
    std::vector<uint32_t> operands = memory_operands(instruction);
    for (size_t i = 0; i < operands.size(); ++i) facts.accesses.push_back(access_by(mnemonic, operands[i], i));
  }
  return facts;
}

}  // namespace cuco::frontend
