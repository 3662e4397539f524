// CUDA graphs made by stream capture. While a stream is captured its calls are recorded as nodes instead of being run;
// a launch of the graph issues them again, in their order, on streams that stand for the captured ones.
#pragma once

#include <memory>
#include <vector>

#include "vcluster/runtime/gpu/stream.h"

namespace cuco::vcluster {

struct GraphNode {
  size_t lane = 0;            // Which of the captured streams it was issued on.
  std::vector<size_t> after;  // Nodes that must be over first.
  std::function<OperationPtr(Stream&)> work;
};

struct Graph {
  std::vector<Device*> devices;  // Of the captured streams; the first is that on which capture began.
  std::vector<GraphNode> nodes;  // None comes before one that it is `after`.
};

class StreamCapture {
 public:
  explicit StreamCapture(Stream& origin) { lane_of(origin); }

  bool began_on(const Stream& stream) const { return lanes_.front() == &stream; }
  void record(Stream& stream, std::function<OperationPtr(Stream&)> work);
  // The nodes that an event recorded on the stream stands for.
  const std::vector<size_t>& marks(Stream& stream) { return tails_[lane_of(stream)]; }
  // What the stream records from here on comes after `marks`. The stream becomes part of the capture.
  void join(Stream& stream, const std::vector<size_t>& marks);

  // Ends the capture on all its streams. False: some branch was not joined back into the stream on which it began.
  bool end(Graph& out);

 private:
  size_t lane_of(Stream& stream);
  bool is_joined() const;

  Graph graph_;
  std::vector<Stream*> lanes_;
  std::vector<std::vector<size_t>> tails_;  // By lane: what the next node comes after.
};

// A graph that can be launched, with the streams that its branches run on.
struct ExecutableGraph {
  Graph graph;
  std::vector<Stream*> branches;  // By lane; null until it is needed.

  // Issues everything behind the stream's earlier work; the result is over when all of it is.
  OperationPtr launch(Stream& stream);
};

}  // namespace cuco::vcluster
