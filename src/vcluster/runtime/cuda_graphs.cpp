// Stream capture, and graphs made by it. The calls that build a graph node by node are not there: the build names them.
#include "vcluster/runtime/checkers/leaks.h"
#include "vcluster/runtime/graph.h"
#include "vcluster/runtime/handles.h"
#include "vcluster/runtime/objects.h"

using namespace cuco::vcluster;

struct CUgraph_st {
  Graph graph;
};
struct CUgraphExec_st {
  ExecutableGraph executable;
};

namespace {

CUgraph_st* graph_of(cudaGraph_t handle) { return Handles<CUgraph_st>::find(handle); }
CUgraphExec_st* exec_of(cudaGraphExec_t handle) { return Handles<CUgraphExec_st>::find(handle); }

}  // namespace

extern "C" {

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
