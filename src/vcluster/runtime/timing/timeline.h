// What happened when on every rank. The report's times by category, the timed region and the bound come from it, and
// the trace. What only the trace shows (names, sends, blocks, flows) is kept when a trace was asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vcluster/critical_path.h"
#include "vcluster/run_report.h"
#include "vcluster/runtime/engine/clock.h"
#include "vcluster/runtime/timing/costs.h"
#include "vcluster/runtime/timing/work_order.h"

namespace cuco::vcluster {

// One operation of a stream, from its start to its end.
struct StreamSlice {
  int rank = 0;
  int stream = 0;
  Time begin = 0, end = 0;
  std::string name;
  Work work;
};

// A message while its bytes leave the rank.
struct SendSlice {
  int rank = 0;
  bool between_nodes = false;
  Time begin = 0, end = 0;
  std::string name;
};

// A block from its start to its end. `slot` tells blocks apart that share a multiprocessor.
struct BlockSlice {
  int rank = 0;
  uint32_t multiprocessor = 0, slot = 0;
  Time begin = 0, end = 0;
  std::string kernel;
  uint64_t block = 0;
};

// From a put to the wait that its signal satisfied.
struct Flow {
  size_t send = 0;  // Into Timeline::sends.
  int rank = 0;     // Of the waiting kernel, and its stream.
  int stream = 0;
  Time seen = 0;
};

class Timeline {
 public:
  static constexpr size_t kNoSend = ~size_t{0};

  Timeline(size_t rank_count, bool for_trace);

  void add_span(int rank, Category category, Time begin, Time end);
  void add_operation(StreamSlice slice);
  size_t add_send(SendSlice slice);  // kNoSend without a trace.
  void add_block(BlockSlice slice);
  void add_flow(Flow flow);
  // A program read the time between two events of this rank.
  void add_timed(int rank, Time begin, Time end);
  // A harness says what is timed, whatever the program reads.
  void set_region(int rank, Time begin, Time end);

  // Who waits for whom.
  WorkOrder& order() { return order_; }

  // Where the rank's timed region begins.
  Time region_begin(int rank) const;
  // Whether the instant is part of it; where the program times nothing, all are.
  bool is_in_region(int rank, Time at) const;

  // Regions, times by category and the bound.
  void fill(RunReport& report, const model::HardwareProfile& profile) const;

  bool for_trace() const { return for_trace_; }
  size_t rank_count() const { return ranks_.size(); }
  const std::vector<StreamSlice>& operations() const { return operations_; }
  const std::vector<SendSlice>& sends() const { return sends_; }
  const std::vector<BlockSlice>& blocks() const { return blocks_; }
  const std::vector<Flow>& flows() const { return flows_; }
  uint64_t blocks_left_out() const { return blocks_left_out_; }

 private:
  struct Rank {
    std::vector<Intervals> spans = std::vector<Intervals>(kCategories);
    bool is_timed = false, is_active = false, is_harness = false;
    Time timed_begin = 0, timed_end = 0;    // The longest that was read.
    Time active_begin = 0, active_end = 0;  // From the first operation to the last.
  };
  RankTiming timing_of(const Rank& rank) const;
  TimeSpan region_of(const Rank& rank) const;
  std::vector<TimeSpan> regions() const;
  Time longest_chain(const model::HardwareProfile& profile) const;

  bool for_trace_;
  std::vector<Rank> ranks_;
  std::vector<StreamSlice> operations_;
  std::vector<SendSlice> sends_;
  std::vector<BlockSlice> blocks_;
  std::vector<Flow> flows_;
  uint64_t blocks_left_out_ = 0;
  WorkOrder order_;
};

}  // namespace cuco::vcluster
