#include "vcluster/lowering_input.h"

#include "base/text.h"

namespace cuco::vcluster {

namespace {

// "key value" up to the end of the line; `rest` goes on after it.
Result<std::string> take_line(std::string_view& rest, std::string_view key) {
  size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  if (end == rest.npos || !line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ')
    return Error{concat("no lowering input: a line '", key, " ...' is missing")};
  rest.remove_prefix(end + 1);
  return std::string(line.substr(key.size() + 1));
}

Result<std::string> take_text(std::string_view& rest, std::string_view key) {
  Result<std::string> bytes = take_line(rest, key);
  if (!bytes) return bytes.error();
  size_t count = std::stoull(*bytes);
  if (count > rest.size()) return Error{concat("no lowering input: '", key, "' ends early")};
  std::string text(rest.substr(0, count));
  rest.remove_prefix(count);
  return text;
}

}  // namespace

std::string to_text(const LoweringInput& input) {
  std::string names = concat("names ", input.implemented.size());
  for (const std::string& name : input.implemented) names += concat(" ", name);
  return concat("path ", input.path, "\nstandard ", input.standard, "\ncuda ", input.is_cuda ? 1 : 0, "\nc ",
                input.is_c ? 1 : 0, "\nopenmp ", input.has_openmp ? 1 : 0, "\nmarks_kernels ", input.marks_kernels ? 1 : 0, "\n", names, "\ntext ",
                input.text.size(), "\n", input.text, "host_text ", input.host_text.size(), "\n", input.host_text);
}

Result<LoweringInput> parse_lowering_input(std::string_view text) {
  LoweringInput input;
  Result<std::string> path = take_line(text, "path");
  if (!path) return path.error();
  Result<std::string> standard = take_line(text, "standard");
  if (!standard) return standard.error();
  Result<std::string> is_cuda = take_line(text, "cuda");
  if (!is_cuda) return is_cuda.error();
  Result<std::string> is_c = take_line(text, "c");
  if (!is_c) return is_c.error();
  Result<std::string> has_openmp = take_line(text, "openmp");
  if (!has_openmp) return has_openmp.error();
  Result<std::string> marks_kernels = take_line(text, "marks_kernels");
  if (!marks_kernels) return marks_kernels.error();
  Result<std::string> names = take_line(text, "names");
  if (!names) return names.error();
  Result<std::string> source = take_text(text, "text");
  if (!source) return source.error();
  Result<std::string> host = take_text(text, "host_text");
  if (!host) return host.error();
  std::vector<std::string> words = split(*names, ' ');
  input.implemented.insert(words.begin() + 1, words.end());
  input.path = *path, input.standard = *standard, input.is_cuda = *is_cuda == "1";
  input.is_c = *is_c == "1";
  input.has_openmp = *has_openmp == "1";
  input.marks_kernels = *marks_kernels == "1";
  input.text = std::move(*source), input.host_text = std::move(*host);
  return input;
}

}  // namespace cuco::vcluster
