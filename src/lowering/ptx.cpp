#include "lowering/ptx.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "lowering/refusals.h"

namespace cuco::lowering {

namespace {

// One instruction: "ld.acquire.sys.global.u32 %0, [%1]" has opcode {"ld", "acquire", ...} and two arguments.
struct Instruction {
  std::vector<std::string> opcode;
  std::vector<std::string> arguments;   // C++ text; a vector {a, b} is one argument "a, b".
  std::set<size_t> vectors;             // Which of them are vectors.
  std::vector<std::string> predicates;  // The q of a destination p|q, by argument; empty where there is none.

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
      {"%total_smem_size", "cuco_dynamic_shared_bytes()"},
      {"%nwarpid", "64u"},
      {"%nsmid", "(cuco_multiprocessor_id() + 1)"},
      {"%gridid", "0ull"},
      {"%clock_hi", "(unsigned)(cuco_clock() >> 32)"},
      {"%globaltimer_lo", "(unsigned)cuco_global_timer_ns()"},
      {"%globaltimer_hi", "(unsigned)(cuco_global_timer_ns() >> 32)"},
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
  if (word == "_") return std::string("cuco_r_unused");
  if (word.starts_with('!')) {
    Result<std::string> predicate = resolve(trim(word.substr(1)), scope);
    return predicate ? Result<std::string>(concat("!", *predicate)) : predicate;
  }
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
  if (word == "WARP_SZ") return std::string("32");
  if (word.starts_with("0f") || word.starts_with("0F"))
    return concat("cuco_ptx::bits_as<float>(0x", word.substr(2), "u)");
  if (word.starts_with("0d") || word.starts_with("0D"))
    return concat("cuco_ptx::bits_as<double>(0x", word.substr(2), "ull)");
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
    CUCO_TRY(std::string part, resolve(trim(word), scope));
    resolved.push_back(address && resolved.empty() ? concat(base, part) : part);
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
    size_t bar = argument.find('|');
    Result<std::string> resolved = resolve_argument(trim(argument.substr(0, bar)), scope, base);
    if (argument.starts_with('[')) base = "(char*)";
    if (!resolved) return Error{concat(resolved.error().message, " in '", squeeze(text), "'")};
    if (argument.starts_with('{')) instruction.vectors.insert(instruction.arguments.size());
    instruction.arguments.push_back(*resolved);
    Result<std::string> second = std::string();
    if (bar != argument.npos) second = resolve(trim(argument.substr(bar + 1)), scope);
    if (!second) return Error{concat(second.error().message, " in '", squeeze(text), "'")};
    instruction.predicates.push_back(*second);
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

std::string type_named(std::string_view name) { return concat("cuco_ptx::", name); }

// Of memory: halves are bits there.
std::string type_of(const Instruction& i) {
  const std::string& type = i.type();
  return type_named(type == "f16" || type == "bf16" ? "b16" : type == "f16x2" || type == "bf16x2" ? "b32" : type);
}

std::string load(const Instruction& i) {
  bool polls = i.has("volatile") || i.has("relaxed") || i.has("acquire") || i.has("mmio");
  return concat("cuco_ptx::load<", polls ? "true" : "false", ", ", type_of(i), ">(", i.arguments[1], ", ",
                i.arguments[0], ");", fence_if(i.has("acquire"), i));
}

std::string store(const Instruction& i) {
  return concat(fence_if(i.has("release"), i), "cuco_ptx::store<", type_of(i), ">(", i.arguments[0], ", ",
                i.arguments[1], ");");
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
  return concat(fence, "cuco_ptx::multimem_store<", type_of(i), ">(", arguments_from(i, 0), ");");
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

// setp.CMP{.BOOL}.TYPE p{|q}, a, b{, c}; the second predicate gets the opposite.
std::string compare(const Instruction& i) {
  static const std::set<std::string> comparisons = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                                    "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  if (i.opcode.size() < 3 || !comparisons.contains(i.opcode[1])) return "";
  std::string holds = concat("cuco_ptx::i_setp<cuco_ptx::c_", i.opcode[1], ", ", type_named(i.type()), ">(",
                             i.arguments[1], ", ", i.arguments[2], ")");
  std::string joined;
  if (i.arguments.size() > 3)
    joined = concat(i.has("and") ? " && " : i.has("or") ? " || " : " != ", "(bool)(", i.arguments[3], ")");
  std::string second = i.predicates[0].empty() ? "" : concat(i.predicates[0], " = !", holds, joined, ";");
  if (i.opcode[0] == "set")
    return concat("cuco_ptx::give(", i.arguments[0], ", cuco_ptx::truth<", type_named(i.opcode[i.opcode.size() - 2]),
                  ">(", holds, joined, "));");
  return concat("{ bool cuco_p = ", holds, joined, ";", second, i.arguments[0], " = cuco_p; }");
}

std::string rounding_of(const Instruction& i, bool to_integer) {
  for (std::string_view how : {"n", "z", "m", "p", "a"})
    if (i.has(concat("r", how)) || i.has(concat("r", how, "i"))) return concat("cuco_ptx::Rounds::", how);
  return to_integer ? "cuco_ptx::Rounds::z" : "cuco_ptx::Rounds::n";
}

std::string convert(const Instruction& i) {
  if (i.opcode.size() < 3) return "";
  const std::string& to = i.opcode[i.opcode.size() - 2];
  bool packs = to == "bf16x2" || to == "f16x2" || to == "e4m3x2" || to == "e5m2x2";
  if (packs != (i.arguments.size() == 3) || i.type().ends_with("x2")) return "";
  std::string types = concat(type_named(to), ", ", type_named(i.type()), ", ");
  if (packs)
    return concat("cuco_ptx::give(", i.arguments[0], ", cuco_ptx::i_cvt_pair<", types, i.has("relu") ? "true" : "false",
                  ">(", arguments_from(i, 1), "));");
  bool whole = i.has("rni") || i.has("rzi") || i.has("rmi") || i.has("rpi");
  return concat("cuco_ptx::give(", i.arguments[0], ", cuco_ptx::i_cvt<", types, rounding_of(i, false), ", ",
                whole ? "true" : "false", ", ", i.has("sat") ? "true" : "false", ">(", i.arguments[1], "));");
}

// d = i_NAME<TYPE>(a, ...): the name is the opcode's with the modifiers that change what it does.
std::string call(const Instruction& i) {
  static const std::set<std::string> names = {
      "add",        "add_sat",     "add_cc",      "addc",    "addc_cc", "sub",        "sub_sat",
      "sub_cc",     "subc",        "subc_cc",     "mul",     "mul_sat", "mul_lo",     "mul_hi",
      "mul_wide",   "mul24_lo",    "mad24_lo",    "mad",     "mad_lo",  "mad_hi",     "mad_wide",
      "mad_hi_sat", "mad_lo_cc",   "mad_hi_cc",   "madc_lo", "madc_hi", "madc_lo_cc", "madc_hi_cc",
      "fma",        "fma_sat",     "fma_relu",    "div",     "rem",     "abs",        "neg",
      "min",        "max",         "min_NaN",     "max_NaN", "sad",     "copysign",   "and",
      "or",         "xor",         "not",         "cnot",    "shl",     "shr",        "shf_l_wrap",
      "shf_r_wrap", "shf_l_clamp", "shf_r_clamp", "bfe",     "bfi",     "brev",       "clz",
      "popc",       "bfind",       "prmt",        "lop3",    "fns",     "bmsk_clamp", "bfind_shiftamt",
      "ex2",        "lg2",         "sin",         "cos",     "tanh",    "sqrt",       "rcp",
      "rsqrt",      "selp"};
  std::string name = i.opcode[0];
  static const std::set<std::string> alike = {"rn", "ftz", "approx", "full", "rna"};
  for (size_t k = 1; k + 1 < i.opcode.size(); k++)
    if (!alike.contains(i.opcode[k])) name += "_" + i.opcode[k];
  if (!names.contains(name)) return "";
  return concat("cuco_ptx::give(", i.arguments[0], ", cuco_ptx::i_", name, "<", type_named(i.type()), ">(",
                arguments_from(i, 1), "));");
}

// The same with two types: slct.D.C, dp4a.A.B.
std::string call_of_two_types(const Instruction& i) {
  if (i.opcode.size() < 3) return "";
  return concat("cuco_ptx::give(", i.arguments[0], ", cuco_ptx::i_", i.opcode[0], "<",
                type_named(i.opcode[i.opcode.size() - 2]), ", ", type_named(i.type()), ">(", arguments_from(i, 1),
                "));");
}

// A register of two or four, or its parts.
std::string move(const Instruction& i) {
  if (i.vectors.contains(1)) return concat("cuco_ptx::pack(", i.arguments[0], ", ", i.arguments[1], ");");
  if (i.vectors.contains(0)) return concat("cuco_ptx::unpack(", i.arguments[1], ", ", i.arguments[0], ");");
  return concat("cuco_ptx::give(", i.arguments[0], ", ", i.arguments[1], ");");
}

std::string as_mask(const std::string& argument) { return concat("(unsigned)(", argument, ")"); }

// vote.sync.MODE.TYPE d, a, mask
std::string vote(const Instruction& i) {
  if (!i.has("sync")) return "";
  std::string arguments = concat("(", as_mask(i.arguments[2]), ", ", i.arguments[1], ")");
  if (i.has("ballot")) return concat("cuco_ptx::give(", i.arguments[0], ", __ballot_sync", arguments, ");");
  return concat(i.arguments[0], " = __", i.has("any") ? "any" : i.has("all") ? "all" : "uni", "_sync", arguments, ";");
}

// match.any.sync.TYPE d, a, mask; match.all.sync.TYPE d|p, a, mask
std::string match(const Instruction& i) {
  std::string value = concat("cuco_ptx::bits_as<", type_named(i.type()), ">(", i.arguments[1], ")");
  if (i.has("any"))
    return concat("cuco_ptx::give(", i.arguments[0], ", __match_any_sync(", as_mask(i.arguments[2]), ", ", value,
                  "));");
  std::string predicate = i.predicates[0].empty() ? "" : concat(i.predicates[0], " = cuco_p;");
  return concat("{ int cuco_p; cuco_ptx::give(", i.arguments[0], ", __match_all_sync(", as_mask(i.arguments[2]), ", ",
                value, ", &cuco_p));", predicate, " }");
}

// redux.sync.OP.TYPE d, a, mask
std::string reduce(const Instruction& i) {
  if (i.opcode.size() != 4 || i.type() == "f32") return "";
  std::string type = i.type() == "s32" ? "int" : "unsigned";
  return concat("cuco_ptx::give(", i.arguments[0], ", __reduce_", i.opcode[2], "_sync(", as_mask(i.arguments[2]),
                ", cuco_ptx::bits_as<", type, ">(", i.arguments[1], ")));");
}

// shfl.sync.MODE.b32 d|p, a, b, c, mask
std::string shuffle(const Instruction& i) {
  if (i.opcode.size() != 4) return "";
  std::string predicate = i.predicates[0].empty() ? "" : concat(i.predicates[0], " = cuco_p;");
  return concat("{ bool cuco_p; cuco_ptx::give(", i.arguments[0], ", cuco_ptx::shuffled<cuco_ptx::b32>(\"", i.opcode[2],
                "\", ", i.arguments[1], ", (unsigned)(", i.arguments[2], "), (unsigned)(", i.arguments[3], "), ",
                as_mask(i.arguments[4]), ", cuco_p));", predicate, " }");
}

// elect.sync d|p, mask: the lowest lane.
std::string elect(const Instruction& i) {
  std::string leader = concat("(unsigned)__builtin_ctz(", as_mask(i.arguments[1]), ")");
  return concat("{ __syncwarp(", as_mask(i.arguments[1]), "); cuco_ptx::give(", i.arguments[0], ", ", leader, ");",
                i.predicates[0].empty() ? "" : concat(i.predicates[0], " = cuco_lane() == ", leader, ";"), " }");
}

// isspacep.SPACE p, a
std::string in_space(const Instruction& i) {
  if (!i.has("shared") && !i.has("shared::cta") && !i.has("global")) return "";
  return concat(i.arguments[0], " = __is", i.has("global") ? "Global" : "Shared", "((const void*)", i.arguments[1],
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
    {"mov", 2, move},
    {"cvta", 2,
     [](const Instruction& i) {
       return concat("cuco_ptx::give(", i.arguments[0], ", (size_t)", i.arguments[1], ");");
     }},
    {"cvt", 2, convert},
    {"setp", 3, compare},
    {"set", 3, compare},
    {"add", 3, call},
    {"addc", 3, call},
    {"sub", 3, call},
    {"subc", 3, call},
    {"mul", 3, call},
    {"mul24", 3, call},
    {"mad", 4, call},
    {"madc", 4, call},
    {"mad24", 4, call},
    {"fma", 4, call},
    {"div", 3, call},
    {"rem", 3, call},
    {"abs", 2, call},
    {"neg", 2, call},
    {"min", 3, call},
    {"max", 3, call},
    {"sad", 4, call},
    {"copysign", 3, call},
    {"and", 3, call},
    {"or", 3, call},
    {"xor", 3, call},
    {"not", 2, call},
    {"cnot", 2, call},
    {"shl", 3, call},
    {"shr", 3, call},
    {"shf", 4, call},
    {"bfe", 4, call},
    {"bfi", 5, call},
    {"brev", 2, call},
    {"clz", 2, call},
    {"popc", 2, call},
    {"bfind", 2, call},
    {"bmsk", 3, call},
    {"prmt", 4, call},
    {"lop3", 5, call},
    {"fns", 4, call},
    {"selp", 4, call},
    {"slct", 4, call_of_two_types},
    {"dp4a", 4, call_of_two_types},
    {"ex2", 2, call},
    {"lg2", 2, call},
    {"sin", 2, call},
    {"cos", 2, call},
    {"tanh", 2, call},
    {"sqrt", 2, call},
    {"rcp", 2, call},
    {"rsqrt", 2, call},
    {"vote", 3, vote},
    {"match", 3, match},
    {"redux", 3, reduce},
    {"shfl", 5, shuffle},
    {"elect", 2, elect},
    {"isspacep", 2, in_space},
    {"activemask", 1,
     [](const Instruction& i) { return concat("cuco_ptx::give(", i.arguments[0], ", __activemask());"); }},
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
    {"applypriority", 0, [](const Instruction&) { return std::string(";"); }},
    {"pmevent", 0, [](const Instruction&) { return std::string(";"); }},
    {"createpolicy", 1, [](const Instruction& i) { return concat("cuco_ptx::give(", i.arguments[0], ", 0ull);"); }},
    {"brkpt", 0, [](const Instruction&) { return std::string("cuco_trap(\"brkpt\");"); }},
};

// Forms of known opcodes whose meaning is not reproduced.
bool is_beyond(const Instruction& i) {
  const std::string& opcode = i.opcode[0];
  if (opcode == "red" || opcode == "atom") return operation_of(i).empty();
  if (opcode == "cp") {
    bool is_complete =
        i.has("commit_group") || i.has("wait_all") || i.arguments.size() >= (i.has("wait_group") ? 1 : 3);
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
  CUCO_TRY(Instruction instruction, read_instruction(text, scope));
  if (is_beyond(instruction) || instruction.arguments.size() < translation->argument_count_min) return unknown;
  std::string made = translation->make(instruction);
  if (made.empty()) return unknown;
  return made;
}

// "t<3>" stands for t0, t1 and t2.
std::vector<std::string> registers_of(const std::string& name) {
  size_t open = name.find('<');
  if (open == name.npos) return {name};
  std::vector<std::string> names;
  int count = std::atoi(name.c_str() + open + 1);
  for (int i = 0; i < count && i < 1024; i++) names.push_back(concat(name.substr(0, open), i));
  return names;
}

// ".reg .pred p, q" makes variables; "@p instruction" and "@!p instruction" depend on one.
Result<std::string> translate_instruction(std::string_view text, Scope& scope) {
  if (text.starts_with(".reg")) {
    std::string_view rest = trim(text.substr(4));
    size_t space = rest.find_first_of(" \t");
    if (space == rest.npos) return Error{ptx_refusal(text)};
    std::string declared;
    std::string_view type = rest.substr(1, space - 1);
    type = type == "f16" ? "b16" : type == "f16x2" ? "b32" : type;
    for (const std::string& name : split_arguments(rest.substr(space)))
      for (const std::string& each : registers_of(name)) {
        scope.locals.emplace(without_percent(each));
        declared += concat("cuco_ptx::", type, " ", local_name(each), "{};");
      }
    return declared;
  }
  if (!text.starts_with('@')) return translate_plain(text, scope);
  size_t space = text.find_first_of(" \t");
  bool negated = text.substr(1, 1) == "!";
  Result<std::string> predicate = resolve(text.substr(negated ? 2 : 1, space - (negated ? 2 : 1)), scope);
  if (!predicate || space == text.npos) return Error{ptx_refusal(text)};
  CUCO_TRY(std::string guarded, translate_plain(trim(text.substr(space)), scope));
  return concat("if (", negated ? "!" : "", *predicate, ") { ", guarded, " }");
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
    CUCO_TRY(std::string translated, translate_instruction(instruction, scope));
    body += translated;
  }
  // The destination "_" of an instruction with two.
  std::string unused = body.find("cuco_r_unused") == body.npos ? "" : "unsigned cuco_r_unused = 0; ";
  return concat("do { ", unused, body, " } while (0)");
}

}  // namespace cuco::lowering
