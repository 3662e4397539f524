#include "evaluate/plain/insertion.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "base/text.h"
#include "evaluate/plain/element_names.h"
#include "evaluate/plain/region.h"
#include "evaluate/text/code_text.h"
#include "evaluate/text/included_files.h"
#include "model/region_text.h"
#include "model/step_facts.h"

namespace cuco::evaluate {

namespace {

using model::Index;
using model::Operation;
using model::Program;

std::string place(const Program& program, const Operation& operation) {
  return model::location_text(program, operation.range);
}

bool is_marked(model::RegionBasis basis) {
  using model::RegionBasis;
  return basis == RegionBasis::Events || basis == RegionBasis::Clock || basis == RegionBasis::Ranges ||
         basis == RegionBasis::Named;
}

std::string end_fault(const Program& program, const Operation& end) {
  if (!end.statement.editable) return concat(place(program, end), ": the region begins or ends inside a macro");
  if (!end.conditions.empty())
    return concat(place(program, end), ": the region begins or ends under the condition ", end.conditions.back());
  return "";
}

// Why nothing can be put around the region, wherever it stands; empty: nothing is known against it.
std::string region_fault(const Program& program) {
  const model::TimedRegion& region = program.timed_region;
  const Operation& first = model::operation_at(program, region.first_step);
  const Operation& last = model::operation_at(program, region.last_step);
  if (!is_marked(region.basis))
    return "where its region begins and ends is a guess, because nothing in the program marks it; --region "
           "FILE:FIRST-LAST names its lines";
  bool by_events = region.basis == model::RegionBasis::Events;
  if (region.loop != model::kNone || (by_events && first.loop != model::kNone))
    return concat(place(program, first), ": the timed region stands in a loop; the harness repeats it instead");
  for (const Operation* end : {&first, &last})
    if (std::string fault = by_events ? end_fault(program, *end) : ""; !fault.empty()) return fault;
  return "";
}

// Without the statements that read the clock, the first and the last: they declare what is used outside.
TextSpan between_reads(const std::string& code, TextSpan span) {
  size_t read = code.find(';', span.begin), last = code.find_last_of(";{}", span.end < 2 ? 0 : span.end - 2);
  if (read == code.npos || last == code.npos || last <= read) return span;
  return {code.find_first_not_of(" \t\r\n", read + 1), last + 1};
}

Result<TextSpan> find_span(const Program& program, const std::string& code) {
  if (std::string fault = region_fault(program); !fault.empty()) return Error{fault};
  std::string first = place(program, model::operation_at(program, program.timed_region.first_step));
  Result<model::RegionText> region = model::find_region_text(program);
  if (!region) return region.error();
  PlainRegion marked;
  marked.begin = region->begin_byte, marked.end = region->end_byte;
  std::optional<TextSpan> span = whole_statements(code, marked);
  if (!span) return Error{concat(first, ": the region begins and ends in different blocks")};
  if (program.timed_region.basis == model::RegionBasis::Clock) span = between_reads(code, *span);
  std::string inside = code.substr(span->begin, span->end - span->begin);
  if (find_word(inside, "return") != inside.npos || find_word(inside, "goto") != inside.npos)
    return Error{concat(first, ": the region leaves its function (return or goto)")};
  return *span;
}

// How a rank says which it is.
struct RankNames {
  std::string rank, count;
  std::vector<std::string> before;  // Lines that learn it.
  const char* include = "";
};

std::vector<std::string> asking(const char* rank_call, const char* count_call, const std::string& whom) {
  return {"int harness_rank = 0, harness_ranks = 1;", concat(rank_call, "(", whom, ", &harness_rank);"),
          concat(count_call, "(", whom, ", &harness_ranks);")};
}

// The communicator of all sites in the region; empty where there are several, it is part of another, or each rank's is
// another element of an array.
std::string only_communicator(const Program& program) {
  std::set<Index> used;
  for (Index step = program.timed_region.first_step; step <= program.timed_region.last_step; step++)
    if (const Operation& operation = model::operation_at(program, step); operation.communicate)
      used.insert(operation.communicate->communicator);
  if (used.size() != 1 || *used.begin() == model::kNone) return "";
  const model::Communicator& only = program.communicators[*used.begin()];
  bool has_name = only.parent == model::kNone && only.name.find("[*]") == std::string::npos;
  return has_name ? only.name : "";
}

// The plainest first.
std::vector<RankNames> rank_names(const Program& program, const std::string& code) {
  std::vector<RankNames> names;
  std::string rank = filled_by(code, "MPI_Comm_rank"), count = filled_by(code, "MPI_Comm_size");
  if (!rank.empty() && !count.empty()) names.push_back({rank, count, {}});
  if (program.rank_model == model::RankModel::Mpi)
    names.push_back({"harness_rank", "harness_ranks", asking("MPI_Comm_rank", "MPI_Comm_size", "MPI_COMM_WORLD"),
                     "#include <mpi.h>\n"});
  if (std::string only = only_communicator(program); program.rank_model == model::RankModel::Threads && !only.empty())
    names.push_back({"harness_rank", "harness_ranks", asking("ncclCommUserRank", "ncclCommCount", only)});
  return names;
}

// What main may call its arguments, as the harness wants them.
std::vector<std::string> argument_names(const std::string& code) {
  bool has_usual_names = find_word(code, "argc") != code.npos && find_word(code, "argv") != code.npos;
  return has_usual_names ? std::vector<std::string>{"argc, argv", "0, nullptr"}
                         : std::vector<std::string>{"0, nullptr"};
}

std::string tolerance_of(const std::string& type) {
  std::optional<Element> element = element_named(type);
  double bound = element ? default_tolerance(*element) : 0;
  return bound == 0 ? "cuco::exact()" : concat("cuco::within(", bound, ", ", bound, ")");
}

// A sum of products, each in 64 bits whatever the types of its factors.
std::string in_64_bits(const model::Symbolic& value) {
  if (value.as_constant()) return std::to_string(*value.as_constant());
  std::string text = value.to_text(), code;
  int depth = 0;
  bool begins = true;
  for (size_t at = 0; at < text.size(); at++) {
    if (begins && text[at] != '-') code += "int64_t{1} * ";
    begins = depth == 0 && at > 0 && text[at] == ' ' && (text[at - 1] == '+' || text[at - 1] == '-');
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    code += text[at];
  }
  return code;
}

std::string count_of(const model::Buffer& buffer) {
  std::optional<Element> element = element_named(buffer.element_type);
  std::string bytes = buffer.bytes ? in_64_bits(*buffer.bytes) : buffer.bytes_text;
  if (buffer.bytes && element) {
    model::Symbolic size = model::Symbolic::constant(bytes_of(*element)), count = buffer.bytes->divided_by(size);
    if (count * size == *buffer.bytes) return in_64_bits(count);
  }
  return concat("(", bytes, ") / sizeof(*", buffer.name, ")");
}

// harness.input("a", a, count
std::string naming(const Program& program, const char* role, Index index) {
  const model::Buffer& buffer = program.buffers[index];
  return concat("harness.", role, "(\"", buffer.name, "\", ", buffer.name, ", ", count_of(buffer));
}

// Every buffer has a size, and its name stands for the same memory in every call of the region.
Status check_names(const Program& program, const PlainBuffers& buffers, const std::string& region) {
  for (const auto* list : {&buffers.inputs, &buffers.outputs, &buffers.scratch})
    for (Index index : *list) {
      const std::string& name = program.buffers[index].name;
      if (program.buffers[index].bytes_text.empty()) return Error{concat("how large '", name, "' is was not found")};
      if (may_rebind(region, name))
        return Error{concat("the region changes what '", name, "' points to, so it would not find its inputs again")};
    }
  return Done{};
}

std::vector<std::string> harness_lines(const Program& program, const PlainBuffers& buffers) {
  std::vector<std::string> lines;
  for (Index index : buffers.inputs) lines.push_back(naming(program, "input", index) + ", cuco::uniform(-1, 1));");
  for (Index index : buffers.outputs)
    lines.push_back(
        concat(naming(program, "output", index), ", ", tolerance_of(program.buffers[index].element_type), ");"));
  for (Index index : buffers.scratch) lines.push_back(naming(program, "scratch", index) + ");");
  return lines;
}

size_t begin_of_line(const std::string& text, size_t at) { return text.rfind('\n', at) + 1; }

std::string indented(const std::string& text, const std::string& by) { return replace_all(text, "\n", "\n" + by); }

// After the last include of the file that stands under no condition.
std::string with_include(const std::string& text, const char* further) {
  size_t at = 0;
  for (const Include& include : includes_of(text))
    if (!include.conditional) at = include.end;
  std::string lines = concat(further, "#include \"cuco/harness.h\"\n");
  return at == 0 ? lines + text : concat(text.substr(0, at), "\n", lines.substr(0, lines.size() - 1), text.substr(at));
}

// The statements of the region with the harness around them.
std::string around(const std::string& text, const TextSpan& span, std::vector<std::string> lines) {
  size_t begin = begin_of_line(text, span.begin);
  std::string indent = text.substr(begin, std::min(text.find_first_not_of(" \t", begin), span.begin) - begin);
  lines.push_back("harness.run([&] {");
  std::string body = indented(text.substr(span.begin, span.end - span.begin), "  ");
  return concat(text.substr(0, span.begin), join(lines, "\n" + indent), "\n", indent, "  ", body, "\n", indent,
                "  cudaDeviceSynchronize();\n", indent, "});", text.substr(span.end));
}

constexpr const char* kNamings[] = {"harness.input(", "harness.output(", "harness.scratch("};

}  // namespace

Result<std::vector<std::string>> insert_harness(const Program& program, const PlainBuffers& buffers,
                                                const std::string& text) {
  std::string code = without_comments(text);
  Result<TextSpan> span = find_span(program, code);
  if (!span) return span.error();
  if (program.rank_model == model::RankModel::SingleProcess)
    return Error{"one thread drives all GPUs, and the harness takes a process or a thread for each rank"};
  if (Status named = check_names(program, buffers, code.substr(span->begin, span->end - span->begin)); !named)
    return named.error();
  std::vector<std::string> texts;
  for (const RankNames& names : rank_names(program, code))
    for (const std::string& arguments : argument_names(code)) {
      std::vector<std::string> lines = names.before;
      lines.push_back(concat("cuco::Harness harness(", names.rank, ", ", names.count, ", ", arguments, ");"));
      std::ranges::copy(harness_lines(program, buffers), std::back_inserter(lines));
      texts.push_back(with_include(around(text, *span, std::move(lines)), names.include));
    }
  if (texts.empty())
    return Error{
        "what gives the rank and the number of ranks was not found: MPI_Comm_rank, or one communicator of all"};
  return texts;
}

std::string reason_against(const std::string& inserted, size_t line, const std::string& complaint) {
  std::vector<std::string> lines = split(inserted, '\n');
  std::string text(trim(line > 0 && line <= lines.size() ? lines[line - 1] : ""));
  for (const char* call : kNamings)
    if (text.starts_with(call)) {
      size_t open = text.find('"'), close = text.find('"', open + 1);
      return concat("'", text.substr(open + 1, close - open - 1),
                    "' or its size cannot be named where the region stands, or is of a type that the harness lacks");
    }
  if (text.starts_with("cuco::Harness ") || text.find("harness_rank") != text.npos)
    return "what gives the rank and the number of ranks cannot be named where the region stands";
  size_t begin = complaint.find("use of undeclared identifier '");
  size_t name = begin == complaint.npos ? complaint.npos : complaint.find('\'', begin);
  if (name != complaint.npos)
    return concat(complaint.substr(name, complaint.find('\'', name + 1) + 1 - name),
                  ", which the region declares, is used after it");
  return "with the harness around it the region does not compile";
}

}  // namespace cuco::evaluate
