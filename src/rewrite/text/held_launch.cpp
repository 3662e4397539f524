#include "rewrite/text/held_launch.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace cuco::rewrite {

namespace {

bool is_number(const std::string& text) { return text.find_first_not_of("0123456789") == text.npos; }

// A name or a number.
bool is_plain(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return is_word(c) || c == '.'; }) &&
         (text.find('.') == text.npos || std::isdigit(static_cast<unsigned char>(text[0])));
}

}  // namespace

std::string Captures::take(const std::string& text, const std::string& name) {
  if (captured_ == Captured::Values ? is_plain(text) : is_number(text)) return text;
  values_.push_back(concat(name, " = ", text));
  return name;
}

std::vector<std::string> Captures::take_all(const std::vector<Item>& items, const char* name) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < items.size(); i++)
    if (!items[i].text.empty()) texts.push_back(take(items[i].text, concat(name, i)));
  return texts;
}

std::string Captures::text() const {
  std::string begin = captured_ == Captured::Values ? values_.empty() ? "=" : "=, " : "";
  return concat("[", begin, join(values_, ", "), "]");
}

std::string with_suffix(const std::string& kernel, const std::string& suffix) {
  std::string name = kernel.substr(0, kernel.find('<'));
  return concat(trim(name), suffix, kernel.substr(name.size()));
}

std::string held_text(const HeldLaunch& held, const LaunchText& launch, const std::string& indent) {
  Captures captures;
  std::vector<std::string> on = captures.take_all(launch.configuration, "configuration_");
  std::vector<std::string> arguments = captures.take_all(launch.arguments, "argument_");
  if (!held.argument.empty()) arguments.push_back(held.argument);
  auto call = [&](const std::string& kernel) {
    return concat("    ", kernel, "<<<", join(on, ", "), ">>>(", join(arguments, ", "), ");\n", indent);
  };
  std::string as_written = call(held.kernel), line = concat("\n", indent, "    ");
  arguments.push_back("*fused");
  if (!held.room.empty()) on[0] = "fused->blocks";
  return concat(held.begin, line, held.shapes, ",", line, held.room, launch.configuration[0].text, ", ",
                launch.configuration[1].text, ", ", launch.stream(), held.pointers, ",", line, captures.text(),
                "(const cuco::comm::", held.work, "* fused) {\n", indent, "  if (fused != nullptr)\n", indent,
                call(held.fused), "  else\n", indent, as_written, "})");
}

void write_kernels(Work& work, Index file, const LaunchParts& parts, const KernelParts& open, bool takes_grid,
                   const std::vector<MadeKernel>& made) {
  const KernelParts& kernel = parts.kernel;
  std::string body = concat(parts.name, "_body"), block = takes_grid ? "blockIdx, gridDim" : "blockIdx";
  std::string text = kernel_text(kernel, parts.name, "", concat("  ", body_call(kernel, body, block), ";\n"));
  for (const MadeKernel& one : made)
    text += concat("// ", one.comment, "\n", kernel_text(open, one.name, one.parameters, one.body));
  work.edits.replace(file, kernel.begin, kernel.body, body_header(open, body, takes_grid));
  work.edits.insert(file, kernel.end, concat("\n", trim(text)));
}

}  // namespace cuco::rewrite
