// What one run tells its parent: a text file of lines "key value", written once at the end.
//   verdict ok | deadlock | no_progress | time_limit | fault | exit | steered
//   exit_code N
//   rank R virtual_us T
//   timing R REGION begin_us end_us compute_us copy_us exposed_communication_us launch_us wait_us
//   iteration R I warmup|timed begin_us end_us
//   calls N whole|cut                     of a region that is called in a loop or marked; cut: slots had not come round
//   bound compute_us communication_us
//   operations N                          of kernels in what is timed, all ranks together
//   launch N GX GY GZ BX BY BZ PLACE, tab, KERNEL
//   sampled blocks_run blocks_total work_run  only when data are not valid
//   upload digest what                    content that a plain program copied to a device before its region
//   read_back PLACE                       see ReadBack of capture.h
//   body run total what, tab, reason      a call in kernels that communicate that was left out, or that was not and why
//   traffic JSON                          see model/traffic.h
//   finding SEVERITY KIND RANK[,RANK...] text...
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/source.h"
#include "model/traffic.h"
#include "vcluster/capture.h"

namespace cuco::vcluster {

struct RunFinding {
  std::string kind;                                   // "deadlock", "collective_mismatch", ...
  int rank = -1;                                      // -1: not of one rank.
  std::string text;                                   // One sentence, with the places it speaks of.
  model::Severity severity = model::Severity::Error;  // Of a warning the run may be right all the same.
  std::vector<int> other_ranks = {};                  // That did the same; the text speaks of `rank`.

  bool is_error() const { return severity == model::Severity::Error; }
};

// A call of a device function that only computes, in a kernel of which every block ran.
struct BodyReport {
  uint64_t run = 0, total = 0;  // Blocks that made it, and that came to it.
  std::string what;             // "FUNCTION at FILE:LINE in kernel NAME".
  std::string reason = {};      // Why it was not left out.
};

// The launches of one kernel at one place, of all ranks.
struct LaunchReport {
  std::string kernel;  // With its template arguments.
  std::string place;   // FILE:LINE.
  uint64_t count = 0;
  std::array<uint32_t, 3> grid = {};   // The most blocks along each dimension,
  std::array<uint32_t, 3> block = {};  // and threads.

  bool operator==(const LaunchReport&) const = default;
};

// What one rank spends the time it is judged by on; the parts add up to its length. See critical_path.h.
struct RankTiming {
  std::string region = "none";  // "harness": the iteration that is the median, see below; "events": between two events
                                // whose elapsed time was read; "activity": from the first operation of a stream to the
                                // last; "none": there was no operation.
  double begin_us = 0, end_us = 0;
  double compute_us = 0, copy_us = 0, exposed_communication_us = 0, launch_us = 0, wait_us = 0;

  double length_us() const { return end_us - begin_us; }
};

// One call of a rank's region by the harness. All ranks begin an iteration at the same instant.
struct HarnessIteration {
  int rank = 0;
  uint32_t iteration = 0;  // Counts warm-up too.
  bool is_timed = false;
  double begin_us = 0, end_us = 0;
};

struct UploadReport {
  uint64_t digest = 0;
  std::string what;  // "the copy at FILE:LINE".

  bool operator==(const UploadReport&) const = default;
};

struct RunReport {
  std::string verdict = "ok";
  int exit_code = 0;
  std::vector<double> rank_us;
  std::vector<RankTiming> timings;           // By device.
  std::vector<HarnessIteration> iterations;  // By rank, then iteration; empty unless a harness ran to its end.
  uint32_t calls = 0;                        // That every rank made of its region in a loop; 0: nobody counted.
  bool calls_were_cut = false;               // The last ones still used signals or slots that no earlier one had.
  double bound_compute_us = 0;               // The speed of light of what is timed: the largest of the three.
  double bound_communication_us = 0;
  double bound_order_us = 0;                  // Of kernels that wait for each other, in the order the program gives.
  uint64_t operations = 0;                    // Of kernels in what is timed; those of blocks that did not run too.
  std::vector<LaunchReport> launches;         // In order of place and kernel.
  bool sampled = false;                       // Some blocks stood for others: times are valid, data are not.
  uint64_t blocks_run = 0, blocks_total = 0;  // Of all kernels. Run: in full, without a body that was left out.
  double work_run = 1;                        // Which share of what the blocks do was executed.
  std::vector<UploadReport> uploads;
  std::vector<ReadBack> read_backs;
  std::vector<BodyReport> bodies;
  model::Traffic traffic;  // Of the region.
  std::vector<RunFinding> findings;
};

bool has_errors(const RunReport& report);

// NCCL refused a communicator because ranks chose the same GPU.
bool shares_a_device(const RunReport& report);

// The rank whose timed region is the longest, or null when there is none.
const RankTiming* slowest(const RunReport& report);

// In one sentence, for people.
std::string describe(const BodyReport& body);

std::string to_text(const RunReport& report);
// Empty verdict when the text is not a report: the run died before it could write one.
RunReport parse_report(const std::string& text);

}  // namespace cuco::vcluster
