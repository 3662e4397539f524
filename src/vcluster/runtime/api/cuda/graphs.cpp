// Stream capture, and graphs made by it or node by node. A node is what the plain call records on a stream that is
// captured for it alone.
#include <algorithm>
#include <set>

#include "vcluster/runtime/api/cuda/objects.h"
#include "vcluster/runtime/checkers/leaks.h"
#include "vcluster/runtime/engine/handles.h"
#include "vcluster/runtime/gpu/graph.h"

using namespace cuco::vcluster;

struct CUgraph_st {
  Graph graph;
};
struct CUgraphExec_st {
  ExecutableGraph executable;
};
struct CUgraphNode_st {
  cudaGraph_t graph;
  size_t index;
  cudaGraphNodeType type;
};

namespace {

CUgraph_st* graph_of(cudaGraph_t handle) { return Handles<CUgraph_st>::find(handle); }
CUgraphExec_st* exec_of(cudaGraphExec_t handle) { return Handles<CUgraphExec_st>::find(handle); }

CUgraphNode_st* node_of(cudaGraphNode_t handle) { return Handles<CUgraphNode_st>::find(handle); }

// Of the current device; it never runs anything.
cudaStream_t scratch_stream() {
  static std::map<Device*, cudaStream_t> streams;
  Device& device = current_device();
  cudaStream_t& stream = streams[&device];
  if (!stream) {
    device.streams.push_back(std::make_unique<Stream>(device, StreamKind::NonBlocking, 0));
    stream = reinterpret_cast<cudaStream_t>(Handles<Stream>::open(device.streams.back().get()));
  }
  return stream;
}

OperationPtr do_nothing(Stream& stream) {
  return stream.submit("an empty node", 0, [](Operation& self) { self.finish(); });
}

// What `call` records on a stream. A call that has nothing to do records nothing.
template <typename Call>
cudaError_t record(const Call& call, std::vector<std::function<OperationPtr(Stream&)>>& works) {
  cudaStream_t handle = scratch_stream();
  Stream& stream = *stream_of(handle);
  stream.capture = std::make_shared<StreamCapture>(stream);
  std::shared_ptr<StreamCapture> capture = stream.capture;
  cudaError_t result = call(handle);
  Graph recorded;
  capture->end(recorded);
  for (GraphNode& node : recorded.nodes) works.push_back(std::move(node.work));
  if (works.empty()) works.emplace_back(do_nothing);
  return result;
}

// One node does all that the call has recorded, in its order.
std::function<OperationPtr(Stream&)> in_a_row(std::vector<std::function<OperationPtr(Stream&)>> works) {
  return [works = std::move(works)](Stream& stream) {
    OperationPtr last;
    for (const auto& work : works) last = work(stream);
    return last;
  };
}

// Nodes that follow each other share a lane; others get one of their own.
size_t lane_for(Graph& graph, const std::vector<size_t>& after) {
  for (size_t earlier : after) {
    size_t lane = graph.nodes[earlier].lane;
    auto later = std::ranges::find_if(graph.nodes.begin() + static_cast<long>(earlier) + 1, graph.nodes.end(),
                                      [&](const GraphNode& node) { return node.lane == lane; });
    if (later == graph.nodes.end()) return lane;
  }
  graph.devices.push_back(&current_device());
  return graph.devices.size() - 1;
}

bool find_nodes(cudaGraph_t graph, const cudaGraphNode_t* handles, size_t count, std::vector<size_t>& out) {
  for (size_t i = 0; i < count; i++) {
    const CUgraphNode_st* node = node_of(handles[i]);
    if (!node || node->graph != graph) return false;
    out.push_back(node->index);
  }
  return true;
}

template <typename Call>
cudaError_t add_node(cudaGraphNode_t* out, cudaGraph_t handle, const cudaGraphNode_t* after, size_t count,
                     cudaGraphNodeType type, const Call& call) {
  CUgraph_st* graph = graph_of(handle);
  std::vector<size_t> earlier;
  if (!out || !graph || !find_nodes(handle, after, count, earlier)) return fail(cudaErrorInvalidValue);
  std::vector<std::function<OperationPtr(Stream&)>> works;
  if (cudaError_t error = record(call, works); error != cudaSuccess) return error;
  Graph& built = graph->graph;
  size_t lane = lane_for(built, earlier);
  built.nodes.push_back({lane, std::move(earlier), in_a_row(std::move(works))});
  *out = Handles<CUgraphNode_st>::open(new CUgraphNode_st{handle, built.nodes.size() - 1, type});
  return cudaSuccess;
}

template <typename Call>
cudaError_t replace_node(cudaGraphExec_t handle, cudaGraphNode_t named, const Call& call) {
  CUgraphExec_st* exec = exec_of(handle);
  const CUgraphNode_st* node = node_of(named);
  if (!exec || !node || node->index >= exec->executable.graph.nodes.size()) return fail(cudaErrorInvalidValue);
  std::vector<std::function<OperationPtr(Stream&)>> works;
  if (cudaError_t error = record(call, works); error != cudaSuccess) return error;
  exec->executable.graph.nodes[node->index].work = in_a_row(std::move(works));
  return cudaSuccess;
}

cudaError_t launch_of(const cudaKernelNodeParams& kernel, cudaStream_t stream) {
  if (!kernel.kernelParams && kernel.extra) return fail(cudaErrorNotSupported);
  return cudaLaunchKernel(kernel.func, kernel.gridDim, kernel.blockDim, kernel.kernelParams, kernel.sharedMemBytes,
                          stream);
}

// Elements of several bytes whose bytes are alike are bytes.
cudaError_t memset_of(const cudaMemsetParams& fill, cudaStream_t stream) {
  unsigned byte = fill.value & 0xff;
  for (unsigned i = 1; i < fill.elementSize; i++)
    if ((fill.value >> 8 * i & 0xff) != byte) return fail(cudaErrorNotSupported);
  size_t width = fill.width * fill.elementSize;
  return cudaMemset2DAsync(fill.dst, fill.height > 1 ? fill.pitch : width, static_cast<int>(byte), width, fill.height,
                           stream);
}

}  // namespace

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* out, unsigned) {
  if (!out) return fail(cudaErrorInvalidValue);
  *out = Handles<CUgraph_st>::open(new CUgraph_st);
  note_open(current_process(), *out, "graph", "cudaGraphDestroy");
  return cudaSuccess;
}
cudaError_t cudaGraphClone(cudaGraph_t* out, cudaGraph_t original) {
  CUgraph_st* graph = graph_of(original);
  if (!graph || !out) return fail(cudaErrorInvalidValue);
  *out = Handles<CUgraph_st>::open(new CUgraph_st{graph->graph});
  note_open(current_process(), *out, "graph", "cudaGraphDestroy");
  return cudaSuccess;
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                   const cudaKernelNodeParams* kernel) {
  if (!kernel) return fail(cudaErrorInvalidValue);
  return add_node(out, graph, after, count, cudaGraphNodeTypeKernel,
                  [&](cudaStream_t stream) { return launch_of(*kernel, stream); });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                   const cudaMemcpy3DParms* copy) {
  if (!copy) return fail(cudaErrorInvalidValue);
  return add_node(out, graph, after, count, cudaGraphNodeTypeMemcpy,
                  [&](cudaStream_t stream) { return cudaMemcpy3DAsync(copy, stream); });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     size_t count, void* target, const void* source, size_t bytes,
                                     cudaMemcpyKind kind) {
  return add_node(out, graph, after, count, cudaGraphNodeTypeMemcpy,
                  [&](cudaStream_t stream) { return cudaMemcpyAsync(target, source, bytes, kind, stream); });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                   const cudaMemsetParams* fill) {
  if (!fill) return fail(cudaErrorInvalidValue);
  return add_node(out, graph, after, count, cudaGraphNodeTypeMemset,
                  [&](cudaStream_t stream) { return memset_of(*fill, stream); });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                 const cudaHostNodeParams* host) {
  if (!host) return fail(cudaErrorInvalidValue);
  return add_node(out, graph, after, count, cudaGraphNodeTypeHost,
                  [&](cudaStream_t stream) { return cudaLaunchHostFunc(stream, host->fn, host->userData); });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count) {
  return add_node(out, graph, after, count, cudaGraphNodeTypeEmpty, [](cudaStream_t) { return cudaSuccess; });
}
// Nodes stand in the order in which they were added, so a later one cannot come before an earlier one.
cudaError_t cudaGraphAddDependencies(cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     size_t count) {
  CUgraph_st* graph = graph_of(handle);
  std::vector<size_t> before, behind;
  if (!graph || !find_nodes(handle, from, count, before) || !find_nodes(handle, to, count, behind))
    return fail(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; i++) {
    if (before[i] >= behind[i]) return fail(cudaErrorNotSupported);
    graph->graph.nodes[behind[i]].after.push_back(before[i]);
  }
  return cudaSuccess;
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, cudaGraphNodeType* type) {
  const CUgraphNode_st* node = node_of(handle);
  if (!node || !type) return fail(cudaErrorInvalidValue);
  *type = node->type;
  return cudaSuccess;
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* kernel) {
  if (!kernel) return fail(cudaErrorInvalidValue);
  return replace_node(exec, node, [&](cudaStream_t stream) { return launch_of(*kernel, stream); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* target,
                                               const void* source, size_t bytes, cudaMemcpyKind kind) {
  return replace_node(exec, node,
                      [&](cudaStream_t stream) { return cudaMemcpyAsync(target, source, bytes, kind, stream); });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
  Stream* stream = stream_of(handle);
  if (!stream) return fail(cudaErrorInvalidResourceHandle);
  if (stream->kind() == StreamKind::Legacy) return fail(cudaErrorStreamCaptureUnsupported);
  if (stream->capture) return fail(cudaErrorIllegalState);
  stream->capture = std::make_shared<StreamCapture>(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* out) {
  Stream* stream = stream_of(handle);
  if (!stream || !out) return fail(cudaErrorInvalidResourceHandle);
  *out = nullptr;
  if (!stream->capture) return fail(cudaErrorIllegalState);
  if (!stream->capture->began_on(*stream)) return fail(cudaErrorStreamCaptureUnmatched);
  auto made = std::make_unique<CUgraph_st>();
  std::shared_ptr<StreamCapture> capture = stream->capture;
  if (!capture->end(made->graph)) return fail(cudaErrorStreamCaptureUnjoined);
  *out = Handles<CUgraph_st>::open(made.release());
  note_open(current_process(), *out, "graph", "cudaGraphDestroy");
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  Stream* stream = stream_of(handle);
  if (!stream || !status) return fail(cudaErrorInvalidResourceHandle);
  *status = stream->capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  static std::map<const HostThread*, cudaStreamCaptureMode> modes;
  std::swap(modes[world->current_host], *mode);
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* out, cudaGraph_t handle, unsigned long long) {
  CUgraph_st* graph = graph_of(handle);
  if (!out || !graph) return fail(cudaErrorInvalidValue);
  *out = Handles<CUgraphExec_st>::open(new CUgraphExec_st{{graph->graph, {}}});
  note_open(current_process(), *out, "executable graph", "cudaGraphExecDestroy");
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(out, graph, flags);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t launched, cudaStream_t handle) {
  Stream* stream = stream_of(handle);
  CUgraphExec_st* exec = exec_of(launched);
  if (!stream || !exec) return fail(cudaErrorInvalidResourceHandle);
  world->pass_time(world->costs.host_call);
  stream->issue([exec](Stream& on) { return exec->executable.launch(on); });
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
  return exec_of(exec) ? cudaSuccess : fail(cudaErrorInvalidValue);
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t updated, cudaGraph_t source, cudaGraphExecUpdateResultInfo* result) {
  CUgraphExec_st* exec = exec_of(updated);
  CUgraph_st* graph = graph_of(source);
  if (!exec || !graph) return fail(cudaErrorInvalidValue);
  exec->executable.graph = graph->graph;
  if (result) *result = {};
  return cudaSuccess;
}
// No call takes a node: any address that is not mapped names one.
cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  CUgraph_st* graph = graph_of(handle);
  if (!graph || !count) return fail(cudaErrorInvalidValue);
  const std::vector<GraphNode>& all = graph->graph.nodes;
  for (size_t i = 0; nodes && i < *count && i < all.size(); i++)
    nodes[i] = reinterpret_cast<cudaGraphNode_t>(reinterpret_cast<uintptr_t>(handle) + i + 1);
  *count = all.size();
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  CUgraph_st* graph = Handles<CUgraph_st>::close(handle);
  if (!graph) return fail(cudaErrorInvalidValue);
  note_closed(handle);
  delete graph;
  return cudaSuccess;
}
// Work that was launched goes on to its end: it owns copies of what it needs.
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  CUgraphExec_st* exec = Handles<CUgraphExec_st>::close(handle);
  if (!exec) return fail(cudaErrorInvalidValue);
  note_closed(handle);
  delete exec;
  return cudaSuccess;
}
}
