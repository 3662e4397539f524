#include "rewrite/text/sender_text.h"

#include <algorithm>

#include "base/text.h"
#include "rewrite/text/launched_kernel.h"
#include "rewrite/text/relation_text.h"
#include "rewrite/text/source_scan.h"

namespace cuco::rewrite {

namespace {

using model::Operation;

constexpr const char *kSending = "_sending", *kAwaiting = "_waiting";

const model::Kernel& kernel_of(const Work& work, const Operation& launch) {
  return work.program().kernels[launch.launch->kernel];
}

// ".writes(next, cuco::comm::Tiles()..., 4096)".
std::string writes_text(const footprint::AccessTerms& access, const LaunchText& launch, const RelationText& numbers) {
  std::string pointer = launch.arguments[access.parameter].text, offset = numbers.of(access.offset);
  std::string from = offset == "0" ? pointer : concat("cuco::comm::offset_by(", pointer, ", ", offset, ")");
  return concat(".writes(", from, ", ", numbers.tiles(access), ", ", numbers.of(access.filled), ")");
}

std::string shapes_text(const SendingLaunch& launch, const LaunchText& text, const RelationText& numbers) {
  std::vector<std::string> shapes;
  for (const footprint::AccessForm& form : launch.forms) {
    shapes.push_back(numbers.shape(form.guard));
    for (const footprint::AccessTerms& access : form.accesses) shapes.back() += writes_text(access, text, numbers);
  }
  return concat("{", join(shapes, ",\n       "), "}");
}

bool is_name_or_number(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

// Texts of a launch that runs later than it is called. Names are copied by the lambda that launches it; values of other
// texts are taken when it is held.
class Captures {
 public:
  std::string take(const std::string& text, const std::string& name) {
    if (is_name_or_number(text)) return text;
    text_ += concat(", ", name, " = ", text);
    return name;
  }
  std::string all(const std::vector<Item>& items, const char* name) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < items.size(); i++)
      if (!items[i].text.empty()) texts.push_back(take(items[i].text, concat(name, i)));
    return join(texts, ", ");
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// "gemm_sending<64>" of "gemm<64>".
std::string with_suffix(const std::string& kernel, const char* suffix) {
  std::string name = kernel.substr(0, kernel.find('<'));
  return concat(trim(name), suffix, kernel.substr(name.size()));
}

}  // namespace

void change_launch(Work& work, const Operation& operation, const SendingLaunch& launch, const LaunchParts& parts) {
  const std::string& text = work.text_of(operation.range);
  uint32_t begin = operation.range.begin_byte;
  std::string kernel(trim(text.substr(begin, text.find("<<<", begin) - begin))), indent = indentation(text, begin);
  const std::vector<Item>& given = parts.launch.configuration;
  Captures captures;
  bool awaits = consumer_at(work, operation) != nullptr;
  std::string on = concat("<<<", captures.all(given, "configuration_"), ">>>(");
  std::string arguments = captures.all(parts.launch.arguments, "argument_");
  if (awaits) arguments += concat(arguments.empty() ? "" : ", ", "waits");
  if (awaits) kernel = with_suffix(kernel, kAwaiting);
  RelationText numbers(kernel_of(work, operation), parts.launch);
  work.edits.replace(
      operation.range.file, begin, operation.range.end_byte,
      concat("cuco::comm::launch_sending(\n", indent, "    ", shapes_text(launch, parts.launch, numbers), ",\n", indent,
             "    ", given[0].text, ", ", given[1].text, ", ", given.size() > 3 ? given[3].text : "nullptr", ",\n",
             indent, "    [=", captures.text(), "](const cuco::comm::FusedMessages* fused) {\n", indent,
             "  if (fused != nullptr)\n", indent, "    ", with_suffix(kernel, kSending), on, arguments,
             arguments.empty() ? "" : ", ", "*fused);\n", indent, "  else\n", indent, "    ", kernel, on, arguments,
             ");\n", indent, "})"));
}

void write_kernels(Work& work, const Operation& launch, const LaunchParts& parts) {
  model::Index file = kernel_of(work, launch).range.file;
  bool awaits = consumer_at(work, launch) != nullptr;
  KernelParts kernel = awaits ? open_parameters(parts.kernel) : parts.kernel;
  std::string path, body = concat(parts.name, "_body"), name = concat(parts.name, awaits ? kAwaiting : "");
  for (model::Index site : work.sites)
    if (is_fused(work, site)) path = concat("<cuco::comm::", reach_of(work, site), ">");
  std::string block = awaits ? "block" : "blockIdx", call = concat("  ", body_call(kernel, body, block), ";\n");
  if (awaits) call = concat("  const uint3 block = ", await_text(work), ";\n", call);
  std::string sending = concat("  cuco::comm::begin_sending", path, "(fused);\n", call, "  cuco::comm::end_sending",
                               path, "(fused, ", block, ");\n");
  std::string more = awaits ? "const cuco::comm::BlockWaits waits" : "";
  std::string plain = concat("  ", body_call(kernel, body, "blockIdx"), ";\n");
  work.edits.replace(file, kernel.begin, kernel.body, body_header(kernel, body));
  work.edits.insert(
      file, kernel.end,
      concat("\n", kernel_text(parts.kernel, parts.name, "", plain),
             awaits ? concat("// Each block waits for what it reads.\n", kernel_text(kernel, name, more, call)) : "",
             "// Sends what it writes.\n",
             trim(kernel_text(kernel, concat(name, kSending),
                              concat(more, awaits ? ", " : "", "const cuco::comm::FusedMessages fused"), sending))));
}

}  // namespace cuco::rewrite
