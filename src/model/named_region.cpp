#include "model/named_region.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "model/step_facts.h"
#include "model/step_span.h"

namespace cuco::model {

namespace {

struct Lines {
  Index file = kNone;
  uint32_t first = 0, last = 0;
};

std::optional<uint32_t> parse_line(std::string_view text) {
  uint32_t line = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), line);
  if (error != std::errc() || end != text.data() + text.size() || line == 0) return std::nullopt;
  return line;
}

// By its path's last parts; copies of a program lie elsewhere, so of a longer path the last alone may have to do.
Index file_named(const Program& program, const std::string& name) {
  std::filesystem::path given = std::filesystem::path(name).lexically_normal();
  for (const std::string& wanted : {given.string(), given.filename().string()})
    for (Index file = 0; file < program.files.size(); ++file)
      if (program.files[file].path == wanted || program.files[file].path.ends_with(concat("/", wanted))) return file;
  return kNone;
}

bool lies_in(const Lines& lines, const SourceRange& range) {
  return range.file == lines.file && lines.first <= range.line && range.line <= lines.last;
}

// A region by name: how an operation belongs to it, if it does.
struct Named {
  std::optional<Lines> lines;
  std::string function;

  // Calls from the entry point on that lead to the named lines or function.
  std::optional<size_t> depth_of(const Operation& operation) const {
    for (size_t depth = 0; depth <= operation.call_path.size(); ++depth) {
      bool is_it = lines
                       ? lies_in(*lines, place_in(operation, depth))
                       : (depth < operation.callers.size() ? operation.callers[depth] : operation.function) == function;
      if (is_it) return depth;
    }
    return std::nullopt;
  }

  // Loops that stand around the name and not in it.
  size_t outer_loops(const Program& program, const Operation& operation, size_t depth) const {
    size_t count = 0;
    for (Index loop : enclosing_loops(program, operation)) {
      const SourceRange& range = program.loops[loop].range;
      bool is_outer = lines && !lies_in(*lines, range) && contains(range, place_in(operation, depth));
      for (size_t call = 0; call < depth; ++call) is_outer = is_outer || contains(range, operation.call_path[call]);
      if (!is_outer) break;
      count++;
    }
    return count;
  }
};

Result<Named> parse_name(const Program& program, const std::string& name) {
  size_t colon = name.rfind(':');
  if (colon == std::string::npos || (colon > 0 && name[colon - 1] == ':')) return Named{std::nullopt, name};
  std::string_view numbers = std::string_view(name).substr(colon + 1);
  size_t dash = numbers.find('-');
  std::optional<uint32_t> first = parse_line(numbers.substr(0, dash));
  std::optional<uint32_t> last = dash == std::string_view::npos ? first : parse_line(numbers.substr(dash + 1));
  if (!first || !last || *first > *last)
    return Error{concat("--region ", name, ": lines are written FILE:FIRST-LAST, such as main.cu:40-62")};
  Index file = file_named(program, name.substr(0, colon));
  if (file == kNone) return Error{concat("--region ", name, ": the program has no such file")};
  return Named{Lines{file, *first, *last}, ""};
}

}  // namespace

Result<TimedRegion> find_named_region(const Program& program, const std::string& name) {
  Result<Named> named = parse_name(program, name);
  if (!named) return named.error();
  auto depth_at = [&](Index step) { return named->depth_of(operation_at(program, step)); };
  Index last = static_cast<Index>(program.steps.size());
  while (last > 0 && !(depth_at(last - 1) && is_device_work(operation_at(program, last - 1).kind))) last--;
  if (last-- == 0) return Error{concat("--region ", name, ": nothing is done on a device there")};
  while (last + 1 < program.steps.size() && depth_at(last + 1)) last++;
  size_t loops = named->outer_loops(program, operation_at(program, last), *depth_at(last));
  Index first = last;
  while (first > 0 && depth_at(first - 1) && common_loop_count(program, first - 1, last) >= loops) first--;
  return in_whole_loops(program, RegionBasis::Named, {first, last}, loops);
}

}  // namespace cuco::model
