// Exact sizes instead of padding: a receive of more bytes than anyone reads asks for those alone. Applies where every
// reader of what was received is a copy or a send that begins at the same byte, and where the text of its size means
// the same before the receive. How far a kernel reads is not known, so a receive that feeds one stays whole.
#include <algorithm>

#include "base/text.h"
#include "model/dependences.h"
#include "model/ordering.h"
#include "model/site_shape.h"
#include "model/step_facts.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/host_calls.h"
#include "rewrite/text/loop_text.h"
#include "rewrite/text/source_scan.h"

namespace cuco::rewrite {

namespace {

using model::Region;
using model::Step;

const Region* region_of(const Step& step, Index buffer, bool writes) {
  for (const Region& region : step.regions)
    if (region.buffer == buffer && (writes ? model::writes(region.access) : model::reads(region.access)))
      return &region;
  return nullptr;
}

// How many bytes a copy or send reads, as its text says; empty for everything else.
std::string bytes_text(const Operation& operation) {
  if (operation.copy) return operation.copy->bytes;
  bool sends = operation.communicate && operation.communicate->collective == Collective::Send;
  if (!sends || operation.communicate->element_bytes == 0) return {};
  return concat("(", operation.communicate->count, ") * ", operation.communicate->element_bytes);
}

// What the readers of a receive have in common.
struct Wish {
  Index reader = model::kNone;  // An operation.
  std::string bytes;
  std::string objection;  // Why there is none.
};

// One step that reads what `receive` wrote.
void add_reader(const model::Program& program, const Step& receive, Index buffer, Index step, Wish& wish) {
  const Operation& reader = program.operations[program.steps[step].operation];
  const Operation& call = program.operations[receive.operation];
  const Region *written = region_of(receive, buffer, true), *read = region_of(program.steps[step], buffer, false);
  std::string bytes = bytes_text(reader);
  if (bytes.empty() || !written || !read || !read->bytes)
    wish.objection = concat("how far ", reader.callee, " reads is not known");
  else if (read->offset_bytes != written->offset_bytes || (!wish.bytes.empty() && wish.bytes != bytes))
    wish.objection = concat(reader.callee, " reads other bytes of it than the first ones");
  else if (reader.function != call.function || reader.call_path != call.call_path || reader.loop != call.loop)
    wish.objection = concat(reader.callee, " stands in another function or loop");
  wish.bytes = bytes;
  wish.reader = program.steps[step].operation;
}

Wish wish_of(const model::Program& program, const std::vector<model::StepDependence>& dependences, Index operation) {
  Wish wish;
  for (const model::StepDependence& one : dependences) {
    if (program.steps[one.from].operation != operation || !wish.objection.empty()) continue;
    const Operation& next = program.operations[program.steps[one.to].operation];
    if (one.kind == model::DependenceKind::ReadAfterWrite)
      add_reader(program, program.steps[one.from], one.buffer, one.to, wish);
    // A kernel may write a part only, and hide who reads the rest.
    else if (one.kind == model::DependenceKind::WriteAfterWrite && next.launch)
      wish.objection = concat("how much of it ", next.callee, " overwrites is not known");
  }
  return wish;
}

bool is_output(const model::Program& program, Index buffer) {
  return std::ranges::any_of(program.outputs, [&](const model::Output& output) { return output.buffer == buffer; });
}

// Where the receive's statement stands, whether a statement may be put before it, and whether the names in the size
// exist there and keep their values up to the reader.
std::string text_objection(const Work& work, const Operation& receive, const Operation& reader,
                           const std::string& bytes) {
  const std::string& text = work.text_of(receive.statement);
  uint32_t begin = receive.statement.begin_byte, read = reader.statement.begin_byte;
  size_t before = text.find_last_not_of(" \t\n", begin - 1);
  if (is_host_file(work.request.sources[receive.statement.file].path)) return "it stands in a host file";
  if (!receive.statement.editable || read < begin) return "its statement comes out of a macro or a loop";
  if (before == text.npos || std::string_view(";{}").find(text[before]) == std::string_view::npos)
    return "nothing can be put before its statement";
  std::optional<FunctionText> function = enclosing_function(text, begin);
  for (const std::string& name : names_in(bytes)) {
    bool known = function && model::mentions_name(std::string_view(text).substr(0, begin), name);
    if (!known && name != "sizeof") return concat("`", name, "` is not known before it");
    if (changes_name(std::string_view(text).substr(begin, read - begin), name))
      return concat("`", name, "` gets its value after it");
  }
  return {};
}

// Whether the site's receive does.
bool ask_for_less(Work& work, const std::vector<model::StepDependence>& dependences, Index site) {
  const model::Site& shown = work.site(site);
  const Operation& receive = work.operation(shown.operations[0]);
  // Both ends of a message in parts have to know its bytes.
  bool in_parts = is_chunked(work, site) || is_fused(work, site);
  if (receive.communicate->collective != Collective::Recv || in_parts) return false;
  Wish wish = wish_of(work.program(), dependences, shown.operations[0]);
  // Nothing to say about a receive that feeds kernels, which is the usual case, or nobody.
  if (wish.reader == model::kNone || !wish.objection.empty()) return false;
  auto call = read_call(work.text_of(receive.range), receive.range.begin_byte, receive.callee);
  std::string objection;
  if (shown.operations.size() != 1 || !call) objection = "several call paths lead to it";
  if (objection.empty() && is_output(work.program(), shown.recv_buffer)) objection = "what it receives is an output";
  if (objection.empty()) objection = text_objection(work, receive, work.operation(wish.reader), wish.bytes);
  if (!objection.empty()) {
    work.note(shown.name, " receives whole messages: ", objection);
    return false;
  }
  work.edits.insert(receive.statement.file, receive.statement.begin_byte,
                    concat("cuco::comm::receive_at_most(", call->arguments[0], ", ", wish.bytes, ");\n",
                           indentation(work.text_of(receive.range), receive.statement.begin_byte)));
  work.note(shown.name, " receives no more than the ", wish.bytes, " bytes that are read");
  return true;
}

}  // namespace

bool receive_exactly(Work& work) {
  std::vector<model::StepDependence> dependences =
      model::find_step_dependences(work.program(), model::find_exchanges(work.program()));
  bool some = false;
  for (Index site : work.sites) some |= ask_for_less(work, dependences, site);
  return some;
}

}  // namespace cuco::rewrite
