// Loops over ranks begin with the part that the plan wants first. Which rank a turn is about is asked of the section,
// so no variable of the program has to be known as the rank.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "model/iteration_order.h"
#include "model/ordering.h"
#include "model/site_shape.h"
#include "model/step_facts.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/host_calls.h"
#include "rewrite/text/loop_text.h"

namespace cuco::rewrite {

namespace {

using model::Loop;

// The loops of the model that are one loop in the source, by its place: one for each call path.
using LoopsByPlace = std::map<std::pair<Index, uint32_t>, std::vector<Index>>;

bool is_over_peers(const model::Program& program, Index operation, Index loop) {
  const Operation& call = program.operations[operation];
  return call.communicate && call.loop == loop && model::find_loop_role(program, operation) == model::LoopRole::Peers;
}

// Loops around device work of the region that run over ranks, or over the peers of messages.
LoopsByPlace find_loops(const model::Program& program) {
  LoopsByPlace found;
  for (Index step = 0; step < program.steps.size(); ++step) {
    Index operation = program.steps[step].operation;
    if (!model::in_timed_region(program, step) || !model::is_device_work(program.operations[operation].kind)) continue;
    for (Index loop : model::enclosing_loops(program, program.operations[operation])) {
      const Loop& facts = program.loops[loop];
      if (model::runs_over_ranks(program, facts) || is_over_peers(program, operation, loop))
        found[{facts.range.file, facts.range.begin_byte}];
    }
  }
  for (Index loop = 0; loop < program.loops.size(); ++loop)
    if (auto place = found.find({program.loops[loop].range.file, program.loops[loop].range.begin_byte});
        place != found.end())
      place->second.push_back(loop);
  return found;
}

// Why the loop stays as it is, as far as its text says; `text` is filled in otherwise.
std::string text_objection(const Work& work, const Loop& loop, LoopText& text) {
  if (!loop.range.editable) return "it comes out of a macro";
  if (is_host_file(work.request.sources[loop.range.file].path)) return "it stands in a host file";
  const std::string& source = work.text_of(loop.range);
  std::optional<LoopText> read = read_counting_loop(source, loop.range.begin_byte, loop.range.end_byte);
  if (!read || loop.step != "+1") return "its header is not of the form `for (int i = 0; i < n; i++)`";
  text = *read;
  return order_in_body(std::string_view(source).substr(text.body_begin, text.body_end - text.body_begin), text.name);
}

// The header alone, so that what other passes do to the body stays theirs.
void turn(Work& work, const Loop& loop, const LoopText& text) {
  bool remote = work.request.plan.schedule.order == space::WorkOrder::RemoteFirst;
  std::string type = text.type == "auto" ? "int" : text.type;
  work.edits.replace(loop.range.file, text.header_begin, text.header_end,
                     concat("const ", type, " ", text.name, " : cuco::comm::ranks_in_order<", type, ">(", text.limit,
                            ", cuco::comm::Order::", remote ? "RemoteFirst" : "LocalFirst", ")"));
}

// One loop of the source; whether it is turned. Every call path must allow another order, since they share the text.
bool order_loop(Work& work, const std::vector<model::StepDependence>& dependences, const std::vector<Index>& loops) {
  const Loop& first = work.program().loops[loops[0]];
  LoopText text;
  std::string objection = text_objection(work, first, text);
  bool assumed = false;
  for (Index loop : loops) {
    model::IterationOrder order = model::find_iteration_order(work.program(), dependences, loop);
    if (objection.empty() && !order.objections.empty()) objection = order.objections[0];
    assumed = assumed || order.assumed;
  }
  std::string where = concat("the loop at ", model::location_text(work.program(), first.range));
  if (!objection.empty()) {
    work.note(where, " keeps its order: ", objection);
    return false;
  }
  turn(work, first, text);
  bool remote = work.request.plan.schedule.order == space::WorkOrder::RemoteFirst;
  work.note(where, " visits ", remote ? "other ranks" : "its own rank", " first",
            assumed ? ", if kernels stay inside the slice their pointer begins at" : "");
  return true;
}

}  // namespace

bool order_loops(Work& work) {
  space::WorkOrder order = work.request.plan.schedule.order;
  if (order != space::WorkOrder::RemoteFirst && order != space::WorkOrder::LocalFirst) return false;
  std::vector<model::StepDependence> dependences =
      model::find_step_dependences(work.program(), model::find_exchanges(work.program()));
  bool some = false;
  for (const auto& [place, loops] : find_loops(work.program())) some |= order_loop(work, dependences, loops);
  return some;
}

}  // namespace cuco::rewrite
