#include "frontend/lower_ptx.h"

#include <map>

#include "base/text.h"

namespace cuco::frontend {

namespace {

// One instruction: "ld.acquire.sys.global.u32 %0, [%1]" has opcode {"ld", "acquire", ...} and two arguments.
struct Instruction {
  std::vector<std::string> opcode;
  std::vector<std::string> arguments;  // C++ text; a vector {a, b} is one argument "a, b".

  bool has(std::string_view part) const {
    for (const std::string& piece : opcode)
      if (piece == part) return true;
    return false;
  }
  const std::string& type() const { return opcode.back(); }
};

std::string without_comments(std::string text) {
  for (size_t at = text.find("//"); at != text.npos; at = text.find("//", at))
    text.erase(at, text.find('\n', at) == text.npos ? text.npos : text.find('\n', at) - at);
  return text;
}

const std::map<std::string, std::string, std::less<>>& special_registers() {
  static const std::map<std::string, std::string, std::less<>> registers = {
      {"%laneid", "cuco_lane()"},
      {"%warpid", "(cuco_thread_in_block() / 32)"},
      {"%smid", "cuco_multiprocessor_id()"},
      {"%clock", "(unsigned)cuco_clock()"},
      {"%clock64", "cuco_clock()"},
      {"%globaltimer", "cuco_global_timer_ns()"},
      {"%lanemask_lt", "((1u << cuco_lane()) - 1)"},
      {"%lanemask_le", "(~0u >> (31 - cuco_lane()))"},
      {"%lanemask_eq", "(1u << cuco_lane())"},
      {"%lanemask_gt", "(~0u << cuco_lane() << 1)"},
      {"%lanemask_ge", "(~0u << cuco_lane())"},
      {"%tid.x", "threadIdx.x"},
      {"%tid.y", "threadIdx.y"},
      {"%tid.z", "threadIdx.z"},
      {"%ntid.x", "blockDim.x"},
      {"%ntid.y", "blockDim.y"},
      {"%ntid.z", "blockDim.z"},
      {"%ctaid.x", "blockIdx.x"},
      {"%ctaid.y", "blockIdx.y"},
      {"%ctaid.z", "blockIdx.z"},
      {"%nctaid.x", "gridDim.x"},
      {"%nctaid.y", "gridDim.y"},
      {"%nctaid.z", "gridDim.z"},
      {"%dynamic_smem_size", "cuco_dynamic_shared_bytes()"},
  };
  return registers;
}

// "%1" and "%[name]" become the operand's C++ text; "%%laneid" its register.
Result<std::string> resolve(std::string_view word, const PtxStatement& statement) {
  if (word.substr(0, 2) == "%%") {
    auto found = special_registers().find(word.substr(1));
    if (found == special_registers().end())
      return Error{concat("PTX register '", word.substr(1), "' is not supported")};
    return found->second;
  }
  if (word.substr(0, 2) == "%[") {
    for (const PtxOperand& operand : statement.operands)
      if (operand.name == word.substr(2, word.size() - 3)) return "(" + operand.expression + ")";
    return Error{concat("PTX operand '", word, "' is not bound")};
  }
  if (word.substr(0, 1) == "%" && word.size() > 1 && isdigit(word[1])) {
    size_t index = std::stoul(std::string(word.substr(1)));
    if (index < statement.operands.size()) return "(" + statement.operands[index].expression + ")";
    return Error{concat("PTX operand '", word, "' is not bound")};
  }
  if (!word.empty() && (isdigit(word[0]) || word[0] == '-')) return std::string(word);
  return Error{concat("PTX operand '", word, "' is not supported")};
}

// Splits at commas outside brackets and braces.
std::vector<std::string> split_arguments(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); i++) {
    char c = i < text.size() ? text[i] : ',';
    if (c == '[' || c == '{') depth++;
    if (c == ']' || c == '}') depth--;
    if (c != ',' || (depth > 0 && i < text.size())) continue;
    if (std::string_view part = trim(text.substr(start, i - start)); !part.empty()) parts.emplace_back(part);
    start = i + 1;
  }
  return parts;
}

// An address "[%0 + 16]" becomes the sum in bytes; a vector "{%0,%1}" a list.
Result<std::string> resolve_argument(std::string_view text, const PtxStatement& statement) {
  bool address = text.front() == '[' && text.back() == ']';
  bool vector = text.front() == '{' && text.back() == '}';
  if (!address && !vector) return resolve(text, statement);
  std::string inside(text.substr(1, text.size() - 2));
  std::vector<std::string> resolved;
  for (const std::string& word : address ? split(inside, '+') : split_arguments(inside)) {
    Result<std::string> part = resolve(trim(word), statement);
    if (!part) return part.error();
    resolved.push_back(address && resolved.empty() ? "(char*)" + *part : *part);
  }
  return join(resolved, address ? " + " : ", ");
}

Result<Instruction> read_instruction(std::string_view text, const PtxStatement& statement) {
  Instruction instruction;
  size_t space = text.find_first_of(" \t\n");
  instruction.opcode = split(text.substr(0, space), '.');
  if (space == text.npos) return instruction;
  for (const std::string& argument : split_arguments(text.substr(space))) {
    Result<std::string> resolved = resolve_argument(argument, statement);
    if (!resolved) return Error{concat(resolved.error().message, " in '", squeeze(text), "'")};
    instruction.arguments.push_back(*resolved);
  }
  return instruction;
}

std::string scope_of(const Instruction& instruction) {
  if (instruction.has("sys")) return "CucoScopeSystem";
  return instruction.has("cta") ? "CucoScopeBlock" : "CucoScopeDevice";
}

std::string fence_if(bool wanted, const Instruction& instruction) {
  return wanted ? concat("cuco_fence(", scope_of(instruction), ");") : "";
}

std::string arguments_from(const Instruction& instruction, size_t first) {
  std::vector<std::string> rest(instruction.arguments.begin() + first, instruction.arguments.end());
  return join(rest, ", ");
}

std::string load(const Instruction& i) {
  bool polls = i.has("volatile") || i.has("relaxed") || i.has("acquire") || i.has("mmio");
  return concat("cuco_ptx::load<", polls ? "true" : "false", ">(", i.arguments[1], ", ", i.arguments[0], ");",
                fence_if(i.has("acquire"), i));
}

std::string store(const Instruction& i) {
  return concat(fence_if(i.has("release"), i), "cuco_ptx::store(", i.arguments[0], ", ", i.arguments[1], ");");
}

constexpr std::string_view kOperations[] = {"add", "inc", "dec", "min", "max", "and", "or", "xor", "exch", "cas"};

std::string operation_of(const Instruction& i) {
  for (std::string_view operation : kOperations)
    if (i.has(operation))  // "and" and its kin are words of C++.
      return concat(operation == "and" || operation == "or" || operation == "xor" ? "bit" : "", operation,
                    operation == "and" || operation == "or" || operation == "xor" ? "_" : "");
  return "";
}

// atom returns the old value into its first argument, red does not.
std::string update(const Instruction& i) {
  bool returns = i.opcode[0] == "atom";
  std::string call = concat("cuco_ptx::update_", operation_of(i), "<cuco_ptx::", i.type(), ">(",
                            arguments_from(i, returns ? 1 : 0), ")");
  std::string body = returns ? concat("cuco_ptx::give(", i.arguments[0], ", ", call, ");") : call + ";";
  return concat(fence_if(i.has("release") || i.has("acq_rel"), i), body,
                fence_if(i.has("acquire") || i.has("acq_rel"), i));
}

std::string multimem(const Instruction& i) {
  std::string type = concat("cuco_ptx::", i.type());
  if (i.has("ld_reduce"))
    return concat("cuco_ptx::multimem_load<", type, ", cuco_ptx::", operation_of(i), "_op>(", i.arguments[1], ", ",
                  i.arguments[0], ");");
  std::string fence = fence_if(i.has("release"), i);
  if (i.has("red"))
    return concat(fence, "cuco_ptx::multimem_update<", type, ", cuco_ptx::", operation_of(i), "_op>(",
                  arguments_from(i, 0), ");");
  return concat(fence, "cuco_ptx::multimem_store(", arguments_from(i, 0), ");");
}

std::string copy_async(const Instruction& i) {
  if (i.has("commit_group") || i.has("wait_group") || i.has("wait_all")) return ";";
  return concat("cuco_ptx::copy(", arguments_from(i, 0), ");");
}

std::string barrier(const Instruction& i) {
  if (i.has("warp")) return concat("__syncwarp(", i.arguments.empty() ? "~0u" : i.arguments[0], ");");
  std::string count = i.arguments.size() > 1 ? i.arguments[1] : "0";
  return concat(i.has("arrive") ? "cuco_barrier_arrive((int)" : "cuco_barrier((int)", i.arguments[0], ", (int)", count,
                ");");
}

struct Translation {
  std::string_view opcode;
  size_t argument_count_min;
  std::string (*make)(const Instruction&);
};

// Prefetches, dependency hints and cache control change nothing that a run observes.
constexpr Translation kTranslations[] = {
    {"fence", 0, [](const Instruction& i) { return fence_if(true, i); }},
    {"membar", 0,
     [](const Instruction& i) { return i.has("gl") ? "cuco_fence(CucoScopeDevice);" : fence_if(true, i); }},
    {"ld", 2, load},
    {"st", 2, store},
    {"red", 2, update},
    {"atom", 3, update},
    {"multimem", 2, multimem},
    {"mov", 2,
     [](const Instruction& i) { return concat("cuco_ptx::give(", i.arguments[0], ", ", i.arguments[1], ");"); }},
    {"cp", 0, copy_async},
    {"bar", 1, barrier},
    {"barrier", 1, barrier},
    {"nanosleep", 1, [](const Instruction& i) { return concat("cuco_sleep(", i.arguments[0], ");"); }},
    {"trap", 0, [](const Instruction&) { return std::string("cuco_trap(\"trap\");"); }},
    {"prefetch", 0, [](const Instruction&) { return std::string(";"); }},
    {"prefetchu", 0, [](const Instruction&) { return std::string(";"); }},
    {"griddepcontrol", 0, [](const Instruction&) { return std::string(";"); }},
    {"discard", 0, [](const Instruction&) { return std::string(";"); }},
};

Result<std::string> translate_instruction(std::string_view text, const PtxStatement& statement) {
  Error unknown{concat("inline PTX '", squeeze(text), "' is not supported by the virtual cluster")};
  Result<Instruction> instruction = read_instruction(text, statement);
  if (!instruction) return instruction.error();
  bool unknown_update =
      (instruction->opcode[0] == "red" || instruction->opcode[0] == "atom") && operation_of(*instruction).empty();
  bool bulk = instruction->opcode[0] == "cp" && (instruction->has("bulk") || !instruction->has("async"));
  if (unknown_update || bulk) return unknown;
  for (const Translation& translation : kTranslations)
    if (translation.opcode == instruction->opcode[0] && instruction->arguments.size() >= translation.argument_count_min)
      return translation.make(*instruction);
  return unknown;
}

}  // namespace

Result<std::string> translate_ptx(const PtxStatement& statement) {
  std::string body;
  for (const std::string& text : split(without_comments(statement.text), ';')) {
    std::string_view instruction = trim(text);
    if (instruction.empty()) continue;
    Result<std::string> translated = translate_instruction(instruction, statement);
    if (!translated) return translated.error();
    body += *translated;
  }
  return concat("do { ", body, " } while (0)");
}

}  // namespace cuco::frontend
