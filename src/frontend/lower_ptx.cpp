#include "frontend/lower_ptx.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "frontend/lower_refusals.h"

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

// What names mean at one place of the text: operands, and registers that the text declares for itself.
struct Scope {
  const PtxStatement& statement;
  std::set<std::string, std::less<>> locals;
};

std::string_view without_percent(std::string_view word) {
  while (word.starts_with('%')) word.remove_prefix(1);
  return word;
}

std::string local_name(std::string_view word) { return concat("cuco_r_", without_percent(word)); }

// "%1" and "%[name]" become the operand's C++ text; "%%laneid" its register.
Result<std::string> resolve(std::string_view word, const Scope& scope) {
  const PtxStatement& statement = scope.statement;
  if (scope.locals.contains(without_percent(word)) && !(word.size() > 1 && word[0] == '%' && isdigit(word[1])))
    return local_name(word);
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

// An address "[%0 + 16]" becomes the sum in bytes; a vector "{%0,%1}" a list. `base` makes a pointer of an address.
Result<std::string> resolve_argument(std::string_view text, const Scope& scope, std::string_view base) {
  bool address = text.front() == '[' && text.back() == ']';
  bool vector = text.front() == '{' && text.back() == '}';
  if (!address && !vector) return resolve(text, scope);
  std::string inside(text.substr(1, text.size() - 2));
  std::vector<std::string> resolved;
  for (const std::string& word : address ? split(inside, '+') : split_arguments(inside)) {
    Result<std::string> part = resolve(trim(word), scope);
    if (!part) return part.error();
    resolved.push_back(address && resolved.empty() ? concat(base, *part) : *part);
  }
  return join(resolved, address ? " + " : ", ");
}

bool names_shared_memory(const Instruction& instruction) {
  return instruction.has("shared") || instruction.has("shared::cta");
}

// Where an instruction names shared memory, its first address is the one there.
Result<Instruction> read_instruction(std::string_view text, const Scope& scope) {
  Instruction instruction;
  size_t space = text.find_first_of(" \t\n");
  instruction.opcode = split(text.substr(0, space), '.');
  if (space == text.npos) return instruction;
  std::string_view base = names_shared_memory(instruction) ? "cuco_ptx::shared_address" : "(char*)";
  for (const std::string& argument : split_arguments(text.substr(space))) {
    Result<std::string> resolved = resolve_argument(argument, scope, base);
    if (argument.starts_with('[')) base = "(char*)";
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
  if (i.has("commit_group")) return "cuco_async_commit();";
  if (i.has("wait_group")) return concat("memcpy_async_lands((size_t)(", i.arguments[0], "));");
  if (i.has("wait_all")) return "memcpy_async_lands(kCucoAllCopies);";
  return concat("cuco_ptx::copy(", arguments_from(i, 0), ");");
}

std::string barrier(const Instruction& i) {
  if (i.has("warp")) return concat("__syncwarp(", i.arguments.empty() ? "~0u" : i.arguments[0], ");");
  std::string count = i.arguments.size() > 1 ? i.arguments[1] : "0";
  return concat(i.has("arrive") ? "cuco_barrier_arrive((int)" : "cuco_barrier((int)", i.arguments[0], ", (int)", count,
                ");");
}

// mma.sync.aligned.SHAPE.row.col.D.A.B.C: every lane's registers become arrays, the warp multiplies, the results go
// back.
std::string multiply(const Instruction& i) {
  size_t count = i.opcode.size();
  auto type = [&](size_t from_end) { return "cuco_ptx::" + i.opcode[count - from_end]; };
  return concat("cuco_ptx::spread(cuco_ptx::", i.opcode[3], "<", type(4), ", ", type(3), ", ", type(2),
                ">::multiply(cuco_ptx::gather<cuco_ptx::packed<", type(3), ">>(", i.arguments[1],
                "), cuco_ptx::gather<cuco_ptx::packed<", type(2), ">>(", i.arguments[2],
                "), cuco_ptx::gather<cuco_ptx::packed<", type(1), ">>(", i.arguments[3], ")), ", i.arguments[0], ");");
}

bool is_known_product(const Instruction& i) {
  static const std::set<std::string> shapes = {
      "m16n8k16/bf16", "m16n8k16/f16", "m16n8k8/bf16", "m16n8k8/f16", "m16n8k8/tf32",  "m16n8k4/tf32", "m16n8k32/s8",
      "m16n8k32/u8",   "m16n8k16/s8",  "m16n8k16/u8",  "m8n8k4/f64",  "m16n8k32/e4m3", "m16n8k32/e5m2"};
  return i.opcode.size() >= 10 && i.has("row") && i.has("col") && i.arguments.size() == 4 && !i.has("satfinite") &&
         shapes.contains(concat(i.opcode[3], "/", i.opcode[i.opcode.size() - 3]));
}

std::string load_matrix(const Instruction& i) {
  return concat("cuco_ptx::load_matrix<", i.has("trans") ? "true" : "false", ">(", i.arguments[1], ", ", i.arguments[0],
                ");");
}

std::string compare(const Instruction& i) {
  static const std::map<std::string, std::string> operators = {{"eq", "=="}, {"ne", "!="}, {"lt", "<"},
                                                               {"le", "<="}, {"gt", ">"},  {"ge", ">="}};
  auto found = operators.find(i.opcode[1]);
  if (found == operators.end()) return "";
  std::string type = concat("(cuco_ptx::", i.type(), ")");
  return concat(i.arguments[0], " = ", type, i.arguments[1], " ", found->second, " ", type, i.arguments[2], ";");
}

std::string convert(const Instruction& i) {
  if (i.opcode.size() < 3) return "";
  const std::string& to = i.opcode[i.opcode.size() - 2];
  bool packs = to == "bf16x2" || to == "f16x2";
  if (packs != (i.arguments.size() == 3)) return "";
  return concat("cuco_ptx::give(", i.arguments[0], ", cuco_ptx::convert<cuco_ptx::", to, ", cuco_ptx::", i.type(), ">(",
                arguments_from(i, 1), "));");
}

// d = a OPERATOR b, in the instruction's type.
template <char Operator>
std::string arithmetic(const Instruction& i) {
  std::string type = concat("(cuco_ptx::", i.type(), ")");
  return concat("cuco_ptx::give(", i.arguments[0], ", ", type, "(", type, i.arguments[1], " ", Operator, " ", type,
                i.arguments[2], "));");
}

// d = function(a), of floats.
std::string function_of(const Instruction& i) {
  static const std::map<std::string, std::string> functions = {
      {"ex2", "exp2f"},  {"lg2", "log2f"},  {"sin", "sinf"},    {"cos", "cosf"},
      {"tanh", "tanhf"}, {"sqrt", "sqrtf"}, {"rcp", "1.0f / "}, {"rsqrt", "1.0f / sqrtf"}};
  if (i.type() != "f32") return "";
  return concat("cuco_ptx::give(", i.arguments[0], ", ", functions.at(i.opcode[0]), i.arguments[1], ");");
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
    {"cvta", 2,
     [](const Instruction& i) {
       return concat("cuco_ptx::give(", i.arguments[0], ", (size_t)", i.arguments[1], ");");
     }},
    {"cvt", 2, convert},
    {"setp", 3, compare},
    {"add", 3, arithmetic<'+'>},
    {"sub", 3, arithmetic<'-'>},
    {"and", 3, arithmetic<'&'>},
    {"or", 3, arithmetic<'|'>},
    {"xor", 3, arithmetic<'^'>},
    {"ex2", 2, function_of},
    {"lg2", 2, function_of},
    {"sin", 2, function_of},
    {"cos", 2, function_of},
    {"tanh", 2, function_of},
    {"sqrt", 2, function_of},
    {"rcp", 2, function_of},
    {"rsqrt", 2, function_of},
    {"mma", 4, multiply},
    {"ldmatrix", 2, load_matrix},
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

// Forms of known opcodes whose meaning is not reproduced.
bool is_beyond(const Instruction& i) {
  const std::string& opcode = i.opcode[0];
  if (opcode == "red" || opcode == "atom") return operation_of(i).empty();
  if (opcode == "cp") {
    bool is_complete = i.has("commit_group") || i.has("wait_all") || i.arguments.size() >= (i.has("wait_group") ? 1 : 3);
    return i.has("bulk") || !i.has("async") || i.has("mbarrier") || !is_complete;
  }
  if (opcode == "mma") return !is_known_product(i);
  if (opcode == "ldmatrix") return !i.has("m8n8") || i.type() != "b16";
  if (opcode == "barrier") return i.has("cluster");
  return false;
}

Result<std::string> translate_plain(std::string_view text, const Scope& scope) {
  Error unknown{ptx_refusal(text)};
  std::string_view opcode = text.substr(0, text.find_first_of(" .\t\n"));
  auto is_named = [&](const Translation& translation) { return translation.opcode == opcode; };
  const Translation* translation = std::find_if(std::begin(kTranslations), std::end(kTranslations), is_named);
  if (translation == std::end(kTranslations)) return unknown;
  Result<Instruction> instruction = read_instruction(text, scope);
  if (!instruction) return instruction.error();
  if (is_beyond(*instruction) || instruction->arguments.size() < translation->argument_count_min) return unknown;
  std::string made = translation->make(*instruction);
  if (made.empty()) return unknown;
  return made;
}

// ".reg .pred p, q" makes variables; "@p instruction" and "@!p instruction" depend on one.
Result<std::string> translate_instruction(std::string_view text, Scope& scope) {
  if (text.starts_with(".reg")) {
    std::string_view rest = trim(text.substr(4));
    size_t space = rest.find_first_of(" \t");
    if (space == rest.npos) return Error{ptx_refusal(text)};
    std::string declared;
    for (const std::string& name : split_arguments(rest.substr(space))) {
      scope.locals.emplace(without_percent(name));
      declared += concat("cuco_ptx::", rest.substr(1, space - 1), " ", local_name(name), "{};");
    }
    return declared;
  }
  if (!text.starts_with('@')) return translate_plain(text, scope);
  size_t space = text.find_first_of(" \t");
  bool negated = text.substr(1, 1) == "!";
  Result<std::string> predicate = resolve(text.substr(negated ? 2 : 1, space - (negated ? 2 : 1)), scope);
  if (!predicate || space == text.npos) return Error{ptx_refusal(text)};
  Result<std::string> guarded = translate_plain(trim(text.substr(space)), scope);
  if (!guarded) return guarded.error();
  return concat("if (", negated ? "!" : "", *predicate, ") { ", *guarded, " }");
}

}  // namespace

Result<std::string> translate_ptx(const PtxStatement& statement) {
  std::string body;
  Scope scope{statement, {}};
  for (const std::string& text : split(without_comments(statement.text), ';')) {
    std::string_view instruction = trim(text);
    // The braces around a text with registers of its own: the statement is a block in any case.
    if (instruction.starts_with('{')) instruction = trim(instruction.substr(1));
    if (instruction.starts_with('}')) instruction = trim(instruction.substr(1));
    if (instruction.empty()) continue;
    Result<std::string> translated = translate_instruction(instruction, scope);
    if (!translated) return translated.error();
    body += *translated;
  }
  return concat("do { ", body, " } while (0)");
}

}  // namespace cuco::frontend
