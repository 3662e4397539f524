#include "vcluster/runtime/gpu/graph.h"

#include <set>

#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"

namespace cuco::vcluster {

namespace {

void finish_at_once(Operation& self) { self.finish(); }

Stream& add_stream(Device& device) {
  return *device.streams.emplace_back(std::make_unique<Stream>(device, StreamKind::NonBlocking, 0));
}

}  // namespace

size_t StreamCapture::lane_of(Stream& stream) {
  for (size_t lane = 0; lane < lanes_.size(); lane++)
    if (lanes_[lane] == &stream) return lane;
  lanes_.push_back(&stream);
  tails_.emplace_back();
  graph_.devices.push_back(&stream.device());
  return lanes_.size() - 1;
}

void StreamCapture::record(Stream& stream, std::function<OperationPtr(Stream&)> work) {
  size_t lane = lane_of(stream);
  graph_.nodes.push_back({lane, tails_[lane], std::move(work)});
  tails_[lane] = {graph_.nodes.size() - 1};
}

void StreamCapture::join(Stream& stream, const std::vector<size_t>& marks) {
  std::vector<size_t> earlier = marks;  // A stream may wait for its own event.
  std::vector<size_t>& tail = tails_[lane_of(stream)];
  tail.insert(tail.end(), earlier.begin(), earlier.end());
}

// Whether every node is one that the origin's last nodes come after.
bool StreamCapture::is_joined() const {
  std::set<size_t> covered(tails_[0].begin(), tails_[0].end());
  for (size_t node = graph_.nodes.size(); node-- > 0;) {
    if (!covered.contains(node)) return false;
    covered.insert(graph_.nodes[node].after.begin(), graph_.nodes[node].after.end());
  }
  return true;
}

bool StreamCapture::end(Graph& out) {
  bool joined = is_joined();
  for (Stream* stream : lanes_) stream->capture.reset();
  out = std::move(graph_);
  return joined;
}

OperationPtr ExecutableGraph::launch(Stream& stream) {
  OperationPtr begin = stream.submit("the start of a graph", 0, finish_at_once);
  branches.resize(graph.devices.size());
  std::vector<Stream*> lanes = branches;
  if (!lanes.empty() && graph.devices[0] == &stream.device()) lanes[0] = &stream;
  std::vector<OperationPtr> done;
  for (const GraphNode& node : graph.nodes) {
    Stream*& lane = lanes[node.lane];
    if (!lane) lane = branches[node.lane] = &add_stream(*graph.devices[node.lane]);
    lane->wait_for(begin);
    for (size_t earlier : node.after) lane->wait_for(done[earlier]);
    done.push_back(node.work(*lane));
  }
  for (Stream* lane : lanes)
    if (lane && lane != &stream) stream.wait_for(lane->last());
  return stream.submit("the end of a graph", 0, finish_at_once);
}

}  // namespace cuco::vcluster
