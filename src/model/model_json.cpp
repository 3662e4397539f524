#include "model/model_json.h"

#include "base/json.h"

namespace cuco::model {

namespace {

void put_index(JsonWriter& out, Index index) {
  if (index == kNone)
    out.null();
  else
    out.value(index);
}

void put_index(JsonWriter& out, std::string_view key, Index index) { put_index(out.key(key), index); }

void put_indices(JsonWriter& out, std::string_view key, const std::vector<Index>& indices) {
  out.key(key).begin_array();
  for (Index index : indices) put_index(out, index);
  out.end_array();
}

template <typename Item, typename Put>
void put_list(JsonWriter& out, std::string_view key, const std::vector<Item>& items, Put put) {
  out.key(key).begin_array();
  for (const Item& item : items) {
    out.begin_object();
    put(out, item);
    out.end_object();
  }
  out.end_array();
}

void put_optional(JsonWriter& out, std::string_view key, const std::optional<Symbolic>& value) {
  out.key(key);
  if (value)
    out.value(value->to_text());
  else
    out.null();
}

void put_range_fields(JsonWriter& out, const SourceRange& range) {
  put_index(out, "file", range.file);
  out.field("begin_byte", range.begin_byte).field("end_byte", range.end_byte);
  out.field("line", range.line).field("column", range.column).field("editable", range.editable);
}

void put_range(JsonWriter& out, std::string_view key, const SourceRange& range) {
  out.key(key).begin_object();
  put_range_fields(out, range);
  out.end_object();
}

void put_file(JsonWriter& out, const ProgramFile& file) {
  out.field("path", file.path).field("lines", file.lines);
  put_list(out, "evolve_blocks", file.evolve_blocks,
           [](JsonWriter& inner, const EvolveBlock& block) { put_range_fields(inner, block.range); });
}

void put_pointer(JsonWriter& out, const KernelPointer& pointer) {
  out.field("name", pointer.name);
  put_index(out, "parameter", pointer.parameter);
  out.field("access", name_of(pointer.access)).field("assumed", pointer.assumed);
}

void put_parameter(JsonWriter& out, const KernelParameter& parameter) {
  out.field("name", parameter.name).field("type", parameter.type);
}

void put_shared(JsonWriter& out, const SharedVariable& shared) {
  out.field("name", shared.name).field("type", shared.type).key("bytes");
  if (shared.bytes)
    out.value(*shared.bytes);
  else
    out.null();
}

void put_device_call(JsonWriter& out, const DeviceCommCall& call) {
  out.field("kind", name_of(call.kind)).field("callee", call.callee);
  put_range(out, "range", call.range);
}

void put_kernel(JsonWriter& out, const Kernel& kernel) {
  out.field("name", kernel.name);
  put_range(out, "range", kernel.range);
  put_list(out, "parameters", kernel.parameters, put_parameter);
  put_list(out, "pointers", kernel.pointers, put_pointer);
  put_list(out, "shared", kernel.shared, put_shared);
  put_list(out, "communication", kernel.communication, put_device_call);
  out.field("block_barriers", kernel.block_barriers).field("grid_barrier", kernel.grid_barrier);
  out.field("max_threads", kernel.max_threads).field("min_blocks", kernel.min_blocks);
}

void put_buffer(JsonWriter& out, const Buffer& buffer) {
  out.field("name", buffer.name).field("kind", name_of(buffer.kind)).field("element_type", buffer.element_type);
  out.field("bytes_text", buffer.bytes_text);
  put_optional(out, "bytes", buffer.bytes);
  put_range(out, "allocation", buffer.allocation);
  put_indices(out, "frees", buffer.frees);
}

void put_stream(JsonWriter& out, const Stream& stream) {
  out.field("name", stream.name).field("kind", name_of(stream.kind)).field("priority", stream.priority);
}

void put_event(JsonWriter& out, const Event& event) { out.field("name", event.name); }

void put_communicator(JsonWriter& out, const Communicator& communicator) {
  out.field("name", communicator.name).field("origin", name_of(communicator.origin));
  out.field("rank_count", communicator.rank_count);
  put_index(out, "parent", communicator.parent);
}

void put_loop(JsonWriter& out, const Loop& loop) {
  out.field("kind", name_of(loop.kind));
  put_range(out, "range", loop.range);
  out.field("induction", loop.induction).field("first", loop.first).field("limit", loop.limit).field("step", loop.step);
  put_index(out, "parent", loop.parent);
}

void put_communicate(JsonWriter& out, const CommunicateDetail& detail) {
  out.key("communicate").begin_object();
  out.field("collective", name_of(detail.collective));
  out.field("count", detail.count).field("count_value", detail.count_value.to_text());
  out.field("type", detail.type).field("element_bytes", detail.element_bytes);
  out.field("reduction", detail.reduction).field("root_or_peer", detail.root_or_peer);
  put_index(out, "communicator", detail.communicator);
  put_index(out, "group", detail.group);
  out.field("in_place", detail.in_place);
  out.end_object();
}

void put_launch(JsonWriter& out, const LaunchDetail& detail) {
  out.key("launch").begin_object();
  put_index(out, "kernel", detail.kernel);
  out.field("callee", detail.callee).field("grid", detail.grid).field("block", detail.block);
  out.field("shared_bytes", detail.shared_bytes).field("arguments", detail.arguments);
  out.field("cooperative", detail.cooperative);
  out.end_object();
}

void put_copy(JsonWriter& out, const CopyDetail& detail) {
  out.key("copy").begin_object();
  out.field("kind", name_of(detail.kind)).field("bytes", detail.bytes);
  out.end_object();
}

void put_place(JsonWriter& out, const Operation& operation) {
  put_range(out, "range", operation.range);
  put_range(out, "text", operation.text);
  put_range(out, "statement", operation.statement);
  out.field("function", operation.function);
  put_list(out, "call_path", operation.call_path, put_range_fields);
  put_index(out, "loop", operation.loop);
  out.field("conditions", operation.conditions);
  out.field("rank_dependent", operation.rank_dependent);
}

void put_operation(JsonWriter& out, const Operation& operation) {
  out.field("kind", name_of(operation.kind)).field("callee", operation.callee);
  put_place(out, operation);
  put_index(out, "stream", operation.stream);
  put_index(out, "event", operation.event);
  put_index(out, "end_event", operation.end_event);
  put_index(out, "buffer", operation.buffer);
  out.field("sync", name_of(operation.sync)).field("blocks_host", operation.blocks_host);
  if (operation.communicate) put_communicate(out, *operation.communicate);
  if (operation.launch) put_launch(out, *operation.launch);
  if (operation.copy) put_copy(out, *operation.copy);
}

void put_region(JsonWriter& out, const Region& region) {
  put_index(out, "buffer", region.buffer);
  out.field("offset_bytes", region.offset_bytes.to_text());
  put_optional(out, "bytes", region.bytes);
  out.field("access", name_of(region.access)).field("through", region.through);
}

void put_step(JsonWriter& out, const Step& step) {
  put_index(out, "operation", step.operation);
  put_list(out, "regions", step.regions, put_region);
  put_index(out, "stream", step.stream);
  put_index(out, "event", step.event);
  put_indices(out, "iterations", step.iterations);
  out.field("conditional", step.conditional);
}

void put_dependence(JsonWriter& out, const Dependence& dependence) {
  put_index(out, "from", dependence.from);
  put_index(out, "to", dependence.to);
  put_index(out, "buffer", dependence.buffer);
  out.field("kind", name_of(dependence.kind)).field("carried", dependence.carried);
  out.field("assumed", dependence.assumed).field("ordered", dependence.ordered);
}

void put_overlap(JsonWriter& out, const Overlap& overlap) {
  put_index(out, "operation", overlap.operation);
  out.field("assumed", overlap.assumed).field("other_iteration", overlap.other_iteration);
}

void put_site(JsonWriter& out, const Site& site) {
  out.field("name", site.name);
  put_indices(out, "operations", site.operations);
  put_index(out, "send_buffer", site.send_buffer);
  put_index(out, "recv_buffer", site.recv_buffer);
  put_indices(out, "producers", site.producers);
  put_indices(out, "consumers", site.consumers);
  put_list(out, "overlaps", site.overlaps, put_overlap);
  out.field("loop_role", name_of(site.loop_role)).field("group_pattern", name_of(site.group_pattern));
  out.field("in_region", site.in_region).field("blockers", site.blockers);
  out.field("staging", site.staging);
}

void put_output(JsonWriter& out, const Output& output) {
  put_index(out, "buffer", output.buffer);
  out.field("reason", output.reason);
}

void put_diagnostic(JsonWriter& out, const Diagnostic& diagnostic) {
  out.field("severity", name_of(diagnostic.severity)).field("location", diagnostic.location);
  out.field("message", diagnostic.message);
}

void put_timed_region(JsonWriter& out, const TimedRegion& region) {
  out.key("timed_region").begin_object().field("basis", name_of(region.basis));
  put_index(out, "first_step", region.first_step);
  put_index(out, "last_step", region.last_step);
  out.end_object();
}

void put_program(JsonWriter& out, const Program& program) {
  put_list(out, "files", program.files, put_file);
  out.field("rank_model", name_of(program.rank_model));
  put_timed_region(out, program.timed_region);
  put_list(out, "outputs", program.outputs, put_output);
  put_list(out, "kernels", program.kernels, put_kernel);
  put_list(out, "buffers", program.buffers, put_buffer);
  put_list(out, "streams", program.streams, put_stream);
  put_list(out, "events", program.events, put_event);
  put_list(out, "communicators", program.communicators, put_communicator);
  put_list(out, "loops", program.loops, put_loop);
  put_list(out, "operations", program.operations, put_operation);
  put_list(out, "steps", program.steps, put_step);
}

}  // namespace

std::string to_json(const Program& program, const CommGraph& graph) {
  JsonWriter out;
  out.begin_object().field("format", "cuco-analysis-1");
  put_program(out, program);
  put_list(out, "sites", graph.sites, put_site);
  put_list(out, "dependences", graph.dependences, put_dependence);
  put_indices(out, "window_buffers", graph.window_buffers);
  put_list(out, "diagnostics", program.diagnostics, put_diagnostic);
  out.end_object();
  return out.take();
}

}  // namespace cuco::model
