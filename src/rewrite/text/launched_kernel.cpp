#include "rewrite/text/launched_kernel.h"

#include <algorithm>

#include "base/text.h"
#include "rewrite/text/source_scan.h"

namespace cuco::rewrite {

std::string plain_name(const std::string& name) {
  std::string plain = name.substr(0, name.find('<'));
  return plain.substr(plain.rfind(':') == plain.npos ? 0 : plain.rfind(':') + 1);
}

const Operation* launch_at(const Work& work, const std::string& place) {
  for (const Operation& operation : work.program().operations)
    if (operation.kind == OperationKind::Launch && operation.launch && operation.launch->kernel != model::kNone &&
        same_place(place_of(work, operation.range), place))
      return &operation;
  return nullptr;
}

std::string text_of(const LaunchText& launch) {
  std::string text;
  for (const std::vector<Item>* items : {&launch.configuration, &launch.arguments})
    for (const Item& item : *items) text += concat(item.text, ",");
  return text;
}

bool has_side_effects(const LaunchText& launch) {
  std::string text = text_of(launch);
  for (const char* harmless : {"==", "<=", ">=", "!="}) text = replace_all(std::move(text), harmless, "");
  return text.find("++") != text.npos || text.find("--") != text.npos || text.find('=') != text.npos;
}

std::string block_obstacle(const Work& work, const model::Kernel& kernel, const std::string& text) {
  if (kernel.grid_barrier) return "synchronises its whole grid";
  if (mentions(text, "cooperative_groups") || mentions(text, "this_grid") || text.find("ctaid") != std::string::npos)
    return "asks for its block in a way that cannot be changed";
  std::vector<std::string> texts;
  for (const Source& source : work.request.sources) texts.push_back(source.text);
  for (const std::string& function : functions_that_ask_for_block(texts))
    if (mentions(text, function)) return concat("calls ", function, ", which asks for its block");
  return "";
}

bool is_pointer(const model::Kernel& kernel, uint32_t parameter) {
  return std::ranges::any_of(kernel.pointers, [&](const model::KernelPointer& pointer) {
    return pointer.parameter == parameter && pointer.name.find_first_of(".[") == std::string::npos;
  });
}

bool are_behind_pointers(const model::Kernel& kernel, const std::vector<AccessForm>& forms) {
  for (const AccessForm& form : forms)
    for (const AccessTerms& access : form.accesses)
      if (access.field != 0 || !is_pointer(kernel, access.parameter)) return false;
  return true;
}

namespace {

std::string text_obstacle(const Work& work, const model::Kernel& kernel, const LaunchParts& parts,
                          const KernelNeeds& needs) {
  std::string body = work.text_of(kernel.range).substr(parts.kernel.body, parts.kernel.end - parts.kernel.body);
  for (const char* word : needs.names)
    if (std::ranges::find(parts.kernel.names, word) != parts.kernel.names.end())
      return concat("has a parameter with the name ", word);
  if (needs.all_threads_end && body.find("exit;") != body.npos) return "ends threads on the way";
  uint32_t declarations = 0;
  for (const Source& source : work.request.sources) {
    KernelUses uses = find_uses(source.text, parts.name);
    if (uses.has_others) return "is used by its address";
    declarations += uses.declaration_count;
    for (const char* suffix : needs.suffixes)
      if (mentions(source.text, concat(parts.name, suffix)))
        return concat("has a name that with ", suffix, " is taken");
  }
  return declarations == 1 ? block_obstacle(work, kernel, body) : "is declared more than once";
}

}  // namespace

Result<LaunchParts> launch_parts(const Work& work, const Operation& launch, const KernelNeeds& needs) {
  const model::Kernel& kernel = work.program().kernels[launch.launch->kernel];
  if (!launch.range.editable || !kernel.range.editable) return Error{"stands in a macro"};
  if (kernel.range.file != launch.range.file) return Error{"is launched in another file than it is written in"};
  const std::string& text = work.text_of(launch.range);
  auto read = read_launch(text, launch.range.begin_byte);
  if (!read || launch.statement.begin_byte != launch.range.begin_byte)
    return Error{"is not launched by a statement of its own"};
  if (launch.launch->cooperative || has_side_effects(*read))
    return Error{"is launched cooperatively or with arguments that change something"};
  std::string name = plain_name(kernel.name);
  Result<KernelParts> apart = take_apart(work.text_of(kernel.range), kernel.range.end_byte, name);
  if (!apart) return apart.error();
  size_t begin = launch.range.begin_byte;
  LaunchParts parts{std::move(*read), std::move(*apart), name,
                    std::string(trim(text.substr(begin, text.find("<<<", begin) - begin)))};
  if (std::string obstacle = text_obstacle(work, kernel, parts, needs); !obstacle.empty()) return Error{obstacle};
  return parts;
}

}  // namespace cuco::rewrite
