// The model as one fact per line, so that a golden program can state what it expects beside the code it is about.
#pragma once

#include <string>
#include <vector>

#include "base/text.h"
#include "model/comm_graph.h"
#include "model/program.h"

namespace cuco::testing {

inline std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

template <typename Items>
std::string name_at(const Items& items, model::Index index) {
  return index == model::kNone ? "none" : items[index].name;
}

inline std::string site_fact(const model::Program& program, const model::CommGraph& graph, const model::Site& site) {
  const model::Operation& operation = program.operations[site.operations.front()];
  const model::CommunicateDetail& detail = *operation.communicate;
  (void)graph;
  std::string fact =
      concat("site ", site.name, " ", operation.callee, " send=", name_at(program.buffers, site.send_buffer),
             " recv=", name_at(program.buffers, site.recv_buffer), " count=", detail.count, " type=", detail.type,
             " comm=", name_at(program.communicators, detail.communicator),
             " stream=", name_at(program.streams, operation.stream));
  if (!detail.reduction.empty()) fact += " op=" + detail.reduction;
  if (!detail.root_or_peer.empty()) fact += " peer=" + detail.root_or_peer;
  if (detail.in_place) fact += " in-place";
  return fact;
}

inline void add_site_facts(const model::Program& program, const model::CommGraph& graph, const model::Site& site,
                           std::vector<std::string>& facts) {
  facts.push_back(site_fact(program, graph, site));
  facts.push_back(concat("paths ", site.name, " ", site.operations.size()));
  facts.push_back(concat("loop ", site.name, " ", name_of(site.loop_role)));
  facts.push_back(concat("group ", site.name, " ", name_of(site.group_pattern)));
  if (program.operations[site.operations.front()].rank_dependent) facts.push_back(concat("rank-dependent ", site.name));
  facts.push_back(concat("in-region ", site.name, " ", site.in_region ? "yes" : "no"));
  auto edge = [&](const char* word, model::Index other, const model::Dependence& dependence) {
    std::string fact = concat(word, " ", site.name, " ", program.operations[other].callee, " ",
                              program.buffers[dependence.buffer].name);
    if (dependence.carried) fact += " carried";
    if (!dependence.ordered) fact += " unordered";
    facts.push_back(fact);
  };
  for (model::Index i : site.producers) edge("producer", graph.dependences[i].from, graph.dependences[i]);
  for (model::Index i : site.consumers) edge("consumer", graph.dependences[i].to, graph.dependences[i]);
  for (const model::Overlap& overlap : site.overlaps)
    facts.push_back(concat("overlap ", site.name, " ", program.operations[overlap.operation].callee,
                           overlap.assumed ? " assumed" : "", overlap.other_iteration ? " other-iteration" : ""));
  for (const std::string& blocker : site.blockers) facts.push_back(concat("blocker ", site.name, " ", blocker));
  for (const std::string& reason : site.staging) facts.push_back(concat("staged ", site.name, " ", reason));
  facts.push_back(concat("convertible ", site.name, " ", site.blockers.empty() ? "yes" : "no"));
}

inline std::string kernel_fact(const model::Kernel& kernel) {
  std::string fact = "kernel " + kernel.name;
  for (const model::KernelPointer& pointer : kernel.pointers)
    fact += concat(" ", pointer.name, ":", name_of(pointer.access));
  return fact;
}

// What one kernel asks of a block and a GPU: "resources gemm shared=4096 barriers=2 launch-bounds=256,2 grid-barrier".
inline std::string resource_fact(const model::Kernel& kernel) {
  uint64_t shared_bytes = 0;
  bool dynamic = false;
  for (const model::SharedVariable& variable : kernel.shared) {
    shared_bytes += variable.bytes.value_or(0);
    dynamic = dynamic || !variable.bytes;
  }
  std::string fact = concat("resources ", kernel.name, " shared=", shared_bytes, dynamic ? "+dynamic" : "",
                            " barriers=", kernel.block_barriers);
  if (!kernel.max_threads.empty())
    fact += concat(" launch-bounds=", kernel.max_threads, kernel.min_blocks.empty() ? "" : "," + kernel.min_blocks);
  if (kernel.grid_barrier) fact += " grid-barrier";
  return fact;
}

inline std::string launch_fact(const model::Program& program, const model::Operation& operation) {
  return concat("launch ", operation.callee, " grid=", or_none(operation.launch->grid),
                " block=", or_none(operation.launch->block), " shared=", or_none(operation.launch->shared_bytes),
                " stream=", name_at(program.streams, operation.stream),
                operation.launch->cooperative ? " cooperative" : "",
                operation.call_path.empty() ? "" : " via " + operation.function);
}

inline std::string operation_fact(const model::Program& program, const model::Operation& operation) {
  std::string fact = concat("operation ", operation.callee, " in ", operation.function);
  if (operation.loop != model::kNone) {
    const model::Loop& loop = program.loops[operation.loop];
    fact += concat(" loop=", or_none(loop.induction), "=", or_none(loop.first), ";", or_none(loop.limit), ";",
                   or_none(loop.step));
  }
  if (!operation.conditions.empty()) fact += " if " + join(operation.conditions, " and ");
  return fact;
}

// In no particular order that a golden file may rely on.
inline std::vector<std::string> facts_of(const model::Program& program, const model::CommGraph& graph) {
  std::vector<std::string> facts;
  for (const model::Site& site : graph.sites) add_site_facts(program, graph, site, facts);
  for (const model::Kernel& kernel : program.kernels) {
    facts.push_back(kernel_fact(kernel));
    facts.push_back(resource_fact(kernel));
    for (const model::DeviceCommCall& call : kernel.communication)
      facts.push_back(concat("device-comm ", kernel.name, " ", name_of(call.kind), " ", call.callee));
  }
  for (const model::ProgramFile& file : program.files)
    for (const model::EvolveBlock& block : file.evolve_blocks)
      facts.push_back(concat("evolve-block line ", block.range.line));
  for (const model::Operation& operation : program.operations) {
    facts.push_back(operation_fact(program, operation));
    if (operation.launch) facts.push_back(launch_fact(program, operation));
    if (operation.copy)
      facts.push_back(concat("copy ", operation.callee, " ", name_of(operation.copy->kind),
                             " bytes=", or_none(operation.copy->bytes)));
  }
  for (const model::Buffer& buffer : program.buffers) {
    facts.push_back(concat("element ", buffer.name, " ", or_none(buffer.element_type)));
    facts.push_back(concat("buffer ", buffer.name, " ", name_of(buffer.kind), " bytes=", or_none(buffer.bytes_text),
                           " frees=", buffer.frees.size()));
  }
  for (const model::Stream& stream : program.streams)
    facts.push_back(concat("stream ", stream.name, " ", name_of(stream.kind),
                           stream.priority.empty() ? "" : " priority=" + stream.priority));
  for (const model::Communicator& communicator : program.communicators)
    facts.push_back(concat("communicator ", communicator.name, " ", name_of(communicator.origin),
                           " ranks=", or_none(communicator.rank_count),
                           " parent=", name_at(program.communicators, communicator.parent)));
  facts.push_back(concat("ranks ", name_of(program.rank_model)));
  facts.push_back(concat("region ", name_of(program.timed_region.basis)));
  for (const model::Output& output : program.outputs)
    facts.push_back(concat("output ", program.buffers[output.buffer].name));
  for (model::Index window : graph.window_buffers) facts.push_back(concat("window ", program.buffers[window].name));
  for (const model::Diagnostic& diagnostic : program.diagnostics) facts.push_back(to_text(diagnostic));
  return facts;
}

}  // namespace cuco::testing
