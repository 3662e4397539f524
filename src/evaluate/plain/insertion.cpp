#include "evaluate/plain/insertion.h"

#include <optional>

#include "base/text.h"
#include "evaluate/plain/element_names.h"
#include "evaluate/text/code_text.h"
#include "model/step_facts.h"

namespace cuco::evaluate {

namespace {

using model::Index;
using model::Operation;
using model::Program;

struct Span {
  size_t begin = 0, end = 0;
};

std::string place(const Program& program, const Operation& operation) {
  return model::location_text(program, operation.range);
}

std::string record_fault(const Program& program, const Operation& record) {
  if (!record.statement.editable) return concat(place(program, record), ": the event is recorded inside a macro");
  if (record.loop != model::kNone)
    return concat(place(program, record), ": the timed region stands in a loop; the harness repeats it instead");
  if (!record.conditions.empty())
    return concat(place(program, record), ": the event is recorded under the condition ", record.conditions.back());
  return "";
}

Result<Span> find_span(const Program& program, const std::string& code) {
  if (program.timed_region.basis != model::RegionBasis::Events)
    return Error{
        "no two events whose elapsed time the program reads stand around a collective, so where its region begins is a "
        "guess"};
  const Operation& first = model::operation_at(program, program.timed_region.first_step);
  const Operation& last = model::operation_at(program, program.timed_region.last_step);
  for (const Operation* record : {&first, &last})
    if (std::string fault = record_fault(program, *record); !fault.empty()) return Error{fault};
  bool same = first.function == last.function && first.call_path == last.call_path &&
              first.statement.file == last.statement.file && first.statement.begin_byte < last.statement.begin_byte;
  if (!same) return Error{concat(place(program, first), ": the region begins and ends in different functions")};
  Span span = {first.statement.begin_byte, last.statement.end_byte};
  if (span.end < code.size() && code[span.end] == ';') span.end++;
  std::string inside = code.substr(span.begin, span.end - span.begin);
  if (!is_balanced(inside))
    return Error{concat(place(program, first), ": the region begins and ends in different blocks")};
  if (find_word(inside, "return") != inside.npos || find_word(inside, "goto") != inside.npos)
    return Error{concat(place(program, first), ": the region leaves its function (return or goto)")};
  return span;
}

// What main calls its arguments, as the harness wants them.
std::string arguments_in(const std::string& code, const Operation& record) {
  bool has_usual_names = find_word(code, "argc") != code.npos && find_word(code, "argv") != code.npos;
  return record.function == "main" && has_usual_names ? "argc, argv" : "0, nullptr";
}

std::string tolerance_of(const std::string& type) {
  std::optional<Element> element = element_named(type);
  double bound = element ? default_tolerance(*element) : 0;
  return bound == 0 ? "cuco::exact()" : concat("cuco::within(", bound, ", ", bound, ")");
}

std::string count_of(const model::Buffer& buffer) {
  std::optional<int64_t> bytes = buffer.bytes ? buffer.bytes->as_constant() : std::nullopt;
  std::optional<Element> element = element_named(buffer.element_type);
  if (bytes && element) return std::to_string(*bytes / bytes_of(*element));
  return concat("(", buffer.bytes_text, ") / sizeof(*", buffer.name, ")");
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

// After the last include of the file.
std::string with_include(const std::string& text) {
  size_t last = text.rfind("\n#include");
  size_t at = last == text.npos ? 0 : text.find('\n', last + 1) + 1;
  return text.substr(0, at) + (last == text.npos ? "" : "\n") + "#include \"cuco/harness.h\"\n" + text.substr(at);
}

}  // namespace

Result<std::string> insert_harness(const Program& program, const PlainBuffers& buffers, const std::string& text) {
  std::string code = without_comments(text);
  Result<Span> span = find_span(program, code);
  if (!span) return span.error();
  std::string inside = code.substr(span->begin, span->end - span->begin);
  if (Status named = check_names(program, buffers, inside); !named) return named.error();
  std::string rank = filled_by(code, "MPI_Comm_rank"), count = filled_by(code, "MPI_Comm_size");
  if (rank.empty() || count.empty())
    return Error{"which variables hold the rank and the number of ranks was not found (MPI_Comm_rank, MPI_Comm_size)"};
  const Operation& record = model::operation_at(program, program.timed_region.first_step);
  size_t begin = begin_of_line(text, span->begin);
  std::string indent = text.substr(begin, span->begin - begin);
  std::vector<std::string> lines = {
      concat("cuco::Harness harness(", rank, ", ", count, ", ", arguments_in(code, record), ");")};
  for (const std::string& line : harness_lines(program, buffers)) lines.push_back(line);
  lines.push_back("harness.run([&] {");
  std::string body = indented(text.substr(span->begin, span->end - span->begin), "  ");
  std::string wrapped = concat(join(lines, "\n" + indent), "\n", indent, "  ", body, "\n", indent,
                               "  cudaDeviceSynchronize();\n", indent, "});");
  return with_include(text.substr(0, span->begin) + wrapped + text.substr(span->end));
}

}  // namespace cuco::evaluate
