#include "rewrite/text/fuse_text.h"

#include <cctype>

#include "base/text.h"
#include "rewrite/text/launch_text.h"
#include "rewrite/text/source_scan.h"

namespace cuco::rewrite {

namespace {

// "kTile" of "int kTile = 4"; empty where the item has a type alone or is a pack.
std::string name_in(std::string_view item) {
  item = trim(item.substr(0, item.find('=')));
  size_t begin = item.size();
  while (begin > 0 && is_word(item[begin - 1])) begin--;
  bool has_type = !trim(item.substr(0, begin)).empty();
  return has_type ? std::string(item.substr(begin)) : std::string();
}

Result<std::vector<std::string>> names_in(std::string_view list) {
  std::vector<std::string> names;
  std::vector<Item> items;
  if (!trim(list).empty()) read_list(list, 0, "", items, Angles::Enclose);
  for (const auto& [begin, end, item] : items) {
    std::string name = name_in(item);
    if (name.empty() || item.find("...") != item.npos || mentions(item, "__grid_constant__"))
      return Error{concat("has a parameter that cannot be passed on: ", item)};
    names.push_back(std::move(name));
  }
  return names;
}

// Text before the word's brackets and after them.
std::string without_brackets_of(std::string text, std::string_view word) {
  size_t at = text.find(word);
  if (at == text.npos) return text;
  size_t open = text.find('(', at), end = open;
  for (int depth = 0; end < text.size(); end++) {
    if (text[end] == '(') depth++;
    if (text[end] == ')' && --depth == 0) break;
  }
  return concat(trim(text.substr(0, at)), " ", trim(text.substr(std::min(end + 1, text.size()))));
}

Result<KernelParts> read_template(std::string_view header, KernelParts kernel) {
  if (!header.starts_with("template")) return kernel;
  size_t open = header.find('<'), after = skip_template_arguments(header, open);
  if (after == open) return Error{"has a template's head that is not understood"};
  Result<std::vector<std::string>> names = names_in(header.substr(open + 1, after - open - 2));
  if (!names) return names.error();
  kernel.template_head = concat(trim(header.substr(0, after)), "\n");
  kernel.template_arguments = concat("<", join(*names, ", "), ">");
  return kernel;
}

}  // namespace

Result<KernelParts> take_apart(std::string_view text, uint32_t end, std::string_view name) {
  auto function = enclosing_function(text, end - 1);
  if (!function) return Error{"is written in a way that is not understood"};
  // Branches of the preprocessor can hide where braces close, so the end is the one that was given.
  auto found = read_kernel(text, function->begin, end, name);
  if (!found) return Error{"is written in a way that is not understood"};
  KernelParts kernel;
  kernel.begin = function->begin, kernel.end = end, kernel.body = found->body - 1;
  std::string_view header = text.substr(kernel.begin, kernel.body - kernel.begin);
  for (const char* word : {"requires", "extern", "__cluster_dims__"})
    if (mentions(header, word)) return Error{concat("is declared with ", word)};
  Result<KernelParts> read = read_template(header, std::move(kernel));
  if (!read) return read.error();
  uint32_t head = read->begin + static_cast<uint32_t>(trim(read->template_head).size());
  read->specifiers = trim(text.substr(head, found->name - head));
  read->parameters = trim(text.substr(found->parameters, found->parameters_end - found->parameters));
  Result<std::vector<std::string>> names = names_in(read->parameters);
  if (!names) return names.error();
  read->names = std::move(*names);
  return read;
}

std::string body_header(const KernelParts& kernel, const std::string& name, bool takes_grid) {
  std::string specifiers = replace_all(kernel.specifiers, "__global__", "__device__ __forceinline__");
  specifiers = without_brackets_of(std::move(specifiers), "__launch_bounds__");
  specifiers = without_brackets_of(std::move(specifiers), "__maxnreg__");
  return concat(kernel.template_head, trim(specifiers), " ", name, "(", kernel.parameters,
                kernel.parameters.empty() ? "" : ", ", "[[maybe_unused]] const uint3 blockIdx",
                takes_grid ? ", [[maybe_unused]] const dim3 gridDim" : "", ") ");
}

std::string kernel_text(const KernelParts& kernel, const std::string& name, const std::string& more_parameters,
                        const std::string& body) {
  bool is_one_line = body.find('\n') + 1 == body.size();
  return concat(kernel.template_head, kernel.specifiers, " ", name, "(", kernel.parameters,
                kernel.parameters.empty() || more_parameters.empty() ? "" : ", ", more_parameters,
                is_one_line ? concat(") { ", trim(body), " }\n") : concat(") {\n", body, "}\n"));
}

std::string body_call(const KernelParts& kernel, const std::string& name, const std::string& block) {
  std::vector<std::string> arguments = kernel.names;
  arguments.push_back(block);
  return concat(name, kernel.template_arguments, "(", join(arguments, ", "), ")");
}

}  // namespace cuco::rewrite
