// What the virtual clock says about programs of tests/simulate/timing, sampled runs against whole ones, and the trace.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "testing/remembered_builds.h"
#include "vcluster/simulate.h"

namespace cuco {
namespace {

const std::filesystem::path kSource = CUCO_SOURCE_DIR;

struct TimedRun {
  std::string program;  // Below the source folder.
  std::vector<std::string> arguments = {};
  uint32_t ranks = 1;
  uint32_t nodes = 1;
  bool sample = false;
  std::vector<std::string> definitions = {};
  std::filesystem::path trace = {};
  std::string more_of_profile = {};  // Tables to add to the profile; not empty: that of four A100s in one node.
};

std::filesystem::path profile_for(const TimedRun& run, const std::filesystem::path& scratch) {
  if (run.more_of_profile.empty()) return kSource / "profiles/a100-2node-roce.toml";
  std::string text = read_file(kSource / "profiles/a100x4-nvlink.toml").value() + run.more_of_profile;
  EXPECT_TRUE(write_file(scratch / "profile.toml", text));
  return scratch / "profile.toml";
}

vcluster::ScheduleResult simulated(const TimedRun& run) {
  ScratchFolder scratch = ScratchFolder::make("cuco-timing").value();
  vcluster::SimulationRequest request;
  request.build.files = {(kSource / run.program).string()};
  request.build.flags.include_folders = {(kSource / "tests/simulate").string()};
  request.build.flags.definitions = run.definitions;
  request.build.share = kSource;
  request.build.folder = scratch.path();
  request.build.cost_plugin = vcluster::default_cost_plugin().value();
  request.runner = vcluster::default_runner().value();
  request.arguments = run.arguments;
  request.rank_count = run.ranks;
  request.node_count = run.nodes;
  request.sample = run.sample;
  request.trace = run.trace;
  request.profile = profile_for(run, scratch.path());
  testing::RememberingProcesses processes;
  Result<vcluster::SimulationReport> report = vcluster::simulate(request, testing::lower_once, processes);
  EXPECT_TRUE(report) << report.error().message;
  if (!report) return {};
  EXPECT_EQ(report->schedules.front().report.verdict, "ok") << report->schedules.front().output;
  return report->schedules.front();
}

double time_of(const TimedRun& run) {
  vcluster::ScheduleResult result = simulated(run);
  const vcluster::RankTiming* timing = vcluster::slowest(result.report);
  EXPECT_NE(timing, nullptr);
  return timing ? timing->length_us() : 0;
}

// The all-gather is the only collective of the program, of 64 KiB between four ranks.
double time_with_all_gather_of(const std::string& us, uint32_t ranks) {
  std::string curve =
      "\n[[collectives]]\nname = \"ncclAllGather\"\nwindows = false\nbytes = [1, 65536]\nus = [1, " + us + "]\n";
  return time_of({"tests/simulate/timing/gemm_allgather.cu", {"256"}, ranks, 1, false, {}, {}, curve});
}

TEST(Clock, TakesACollectiveOfAllRanksFromTheCurveOfTheProfile) {
  EXPECT_NEAR(time_with_all_gather_of("3000", 4) - time_with_all_gather_of("1000", 4), 2000, 1e-3);
}

TEST(Clock, TakesACollectiveOfFewerRanksFromTheLinks) {
  EXPECT_DOUBLE_EQ(time_with_all_gather_of("3000", 2), time_with_all_gather_of("1000", 2));
}

TimedRun term(std::vector<std::string> arguments) { return {"tests/simulate/timing/terms.cu", std::move(arguments)}; }

TEST(Clock, ChargesWholeSectorsForAccessesFarApart) {
  double close = time_of(term({"neighbours"})), apart = time_of(term({"stride"}));
  EXPECT_GT(apart, 3 * close);  // 32 + 4 bytes a thread instead of 4 + 4.
  EXPECT_LT(apart, 6 * close);
}

TEST(Clock, ChargesEveryPassOverTheBanks) {
  EXPECT_GT(time_of(term({"conflict"})), 8 * time_of(term({"no_conflict"})));
}

// A thousand loads, each of which needs the one before: no less than a thousand latencies of the L2.
TEST(Clock, WaitsForLoadsThatDependOnEachOther) {
  double us = time_of(term({"follow"}));
  EXPECT_GT(us, 1000 * 250 / 1.41e3);
  EXPECT_LT(us, 1000 * 550 / 1.41e3);
}

TEST(Clock, TakesWhatDoesNotFitIntoTheL2AtTheRateOfTheHbm) {
  TimedRun small = term({"neighbours", "16384", "16"}), large = term({"neighbours", "65536", "64"});
  small.sample = large.sample = true;
  EXPECT_GT(time_of(large), 4 * 2 * time_of(small));
}

// 64 products of 16 x 16 x 16 by one warp: 2.9 us at the rate of fp32 units, 0.2 us on tensor cores.
TEST(Clock, CountsTensorWorkAtTheTensorRate) { EXPECT_LT(time_of(term({"tensor"})), 2); }

// 100 rounds of 256 threads: 0.3 us for each integer operation of a round, of which votes, matches and reductions of a
// warp are no more than a few; a loop over the lanes would be hundreds.
TEST(Clock, CountsWhatAWarpDoesInOneInstructionAsOne) {
  double us = time_of(term({"vote"}));
  EXPECT_GT(us, 9 * 0.3);
  EXPECT_LT(us, 30 * 0.3);
}

class WorkBehindACall : public ::testing::TestWithParam<const char*> {};

TEST_P(WorkBehindACall, TakesAsLongAsIfItStoodThere) {
  auto time = [](const char* form) { return time_of({"tests/simulate/timing/calls.cu", {form}}); };
  EXPECT_GT(time(GetParam()), 0.95 * time("plain"));
  EXPECT_LT(time(GetParam()), 1.5 * time("plain"));
}

INSTANTIATE_TEST_SUITE_P(Forms, WorkBehindACall,
                         ::testing::Values("called", "virtual", "pointer", "result", "reference", "local"));

// Between two looks at the clock, of a million floats unless said otherwise.
double host_us(const char* which, uint32_t nodes = 1, const char* count = "1000000") {
  std::string output = simulated({"tests/simulate/timing/host.cu", {which, count}, 2, nodes}).output;
  size_t place = output.find("took ");
  EXPECT_NE(place, output.npos) << output;
  return place == output.npos ? 0 : std::atof(output.c_str() + place + 5);
}

// By the rates that model/profile.h has for hosts: 3 GFLOP/s, 10 GB/s.
TEST(HostClock, TakesTimeForWhatHostCodeDoesItself) {
  EXPECT_NEAR(host_us("compute"), 800, 80) << "8 bytes and 2 operations a float";
  EXPECT_NEAR(host_us("copy"), 800, 80);
  EXPECT_NEAR(host_us("function"), 800, 90);
  EXPECT_LT(host_us("control"), 1) << "a few instructions around a call are the call's";
}

TEST(HostClock, HasOneCoreForTheThreadsOfARank) { EXPECT_GT(host_us("threads"), 750); }

TEST(HostClock, TakesMessagesByTheirBytes) {
  EXPECT_NEAR(host_us("message"), 402, 40) << "at the rate of the host's memory";
  EXPECT_NEAR(host_us("message", 2), 328, 20) << "at the rate of the link";
  EXPECT_NEAR(host_us("gather"), 202, 20);
  EXPECT_LT(host_us("message", 1, "16"), 5);
}

TEST(Clock, SharesMultiprocessorsBetweenKernels) {
  double one = time_of(term({"arithmetic", "108"})), two = time_of(term({"two_streams", "108"}));
  EXPECT_NEAR(two, 2 * one, 0.05 * one);
}

TEST(Clock, LetsSharedMemoryOfAnotherKernelNotCount) {
  TimedRun alone = term({"arithmetic"}), beside = term({"arithmetic"});
  beside.definitions = {"WITH_GREEDY_KERNEL"};
  EXPECT_EQ(time_of(alone), time_of(beside));
}

TEST(Timing, PartsAddUpToTheTimedRegion) {
  for (const vcluster::RankTiming& timing :
       simulated({"tests/simulate/timing/gemm_allgather.cu", {"256"}, 4}).report.timings) {
    double parts = timing.compute_us + timing.copy_us + timing.exposed_communication_us + timing.launch_us;
    EXPECT_NEAR(parts + timing.wait_us, timing.length_us(), 1e-3);
    EXPECT_GT(timing.compute_us, 0);
    EXPECT_GT(timing.exposed_communication_us, 0);
    EXPECT_GT(timing.launch_us, 0);
  }
}

TEST(Timing, IsNotBelowItsBound) {
  vcluster::RunReport report = simulated({"tests/simulate/timing/gemm_allgather.cu", {"256"}, 4}).report;
  EXPECT_GT(report.bound_compute_us, 0);
  EXPECT_LE(std::max(report.bound_compute_us, report.bound_communication_us), slowest(report)->length_us());
}

double bound_of(const vcluster::RunReport& report) {
  return std::max({report.bound_compute_us, report.bound_communication_us, report.bound_order_us});
}

vcluster::RunReport two_units(const char* how) {
  return simulated({"tests/simulate/timing/two_units.cu", {how}}).report;
}

// Kernels that fill the GPU one behind the other are as fast as their blocks allow.
TEST(Bound, IsReachedByKernelsThatNeedEachOther) {
  vcluster::RunReport report = two_units("chain");
  double us = slowest(report)->length_us();
  EXPECT_LE(bound_of(report), us);
  EXPECT_GT(bound_of(report), 0.9 * us);
}

TEST(Bound, HoldsForIndependentKernelsOfDifferentUnits) {
  vcluster::RunReport report = two_units("beside");
  EXPECT_LE(bound_of(report), slowest(report)->length_us());
}

// A block each, on two multiprocessors: they are no chain, and the longer block is not divided.
TEST(Bound, DoesNotAddUpWhatCanRunAtOnce) {
  vcluster::RunReport report = two_units("small");
  double us = slowest(report)->length_us();
  EXPECT_LE(bound_of(report), us);
  EXPECT_GT(report.bound_compute_us, 0.9 * us);
}

// 64 MiB at half of the HBM's bandwidth: 66 us of the rank's own work. What comes from the host is not.
TEST(Bound, ByOrderHasMemsetsButNoUploads) {
  double without = two_units("small").bound_order_us;
  EXPECT_NEAR(two_units("fill").bound_order_us - without, 69, 3);
  EXPECT_EQ(two_units("upload").bound_order_us, without);
}

class SampledProgram : public ::testing::TestWithParam<TimedRun> {};

TEST_P(SampledProgram, TakesAsLongAsTheWholeOne) {
  TimedRun run = GetParam();
  double whole = time_of(run);
  run.sample = true;
  vcluster::RunReport sampled = simulated(run).report;
  EXPECT_NEAR(slowest(sampled)->length_us(), whole, 0.02 * whole);
  EXPECT_TRUE(sampled.sampled);
  EXPECT_LT(sampled.blocks_run, sampled.blocks_total / 4);
  EXPECT_LT(sampled.work_run, 0.25);
}

INSTANTIATE_TEST_SUITE_P(Programs, SampledProgram,
                         ::testing::Values(TimedRun{"tests/simulate/timing/gemm_allgather.cu", {"512"}, 2},
                                           TimedRun{"tests/simulate/timing/triangle.cu"},
                                           TimedRun{"tests/simulate/timing/counts.cu"}));

TEST(Sampling, RunsKernelsThatCommunicateWhole) {
  vcluster::RunReport report = simulated({"bench/simulate/lsa_allreduce.cu", {}, 2, 1, true}).report;
  EXPECT_TRUE(report.sampled);
  EXPECT_EQ(report.blocks_run, report.blocks_total);
  EXPECT_EQ(report.work_run, 1);
}

TimedRun fused(int form, std::vector<std::string> arguments = {"512"}) {
  TimedRun run{"tests/simulate/timing/fused.cu", std::move(arguments), 2, 2};
  run.definitions = {concat("FORM=", form)};
  return run;
}

vcluster::RunReport sampled(TimedRun run) {
  run.sample = true;
  return simulated(run).report;
}

// One sentence about the body of the product, the only one that is worth leaving out.
vcluster::BodyReport body_of(const vcluster::RunReport& report) {
  EXPECT_EQ(report.bodies.size(), 1u);
  if (report.bodies.empty()) return {};
  EXPECT_TRUE(report.bodies[0].what.starts_with("multiply_tile at fused.cu:")) << report.bodies[0].what;
  return report.bodies[0];
}

class FusedProgram : public ::testing::TestWithParam<TimedRun> {};

TEST_P(FusedProgram, TakesAsLongWithoutMostOfItsBodies) {
  double whole = time_of(GetParam());
  vcluster::RunReport report = sampled(GetParam());
  EXPECT_NEAR(slowest(report)->length_us(), whole, 0.02 * whole);
  EXPECT_LT(report.blocks_run, report.blocks_total / 4);
  EXPECT_LT(report.work_run, 0.5);
  EXPECT_EQ(body_of(report).total, 2 * 512u);
  EXPECT_LT(body_of(report).run, 2 * 512u / 4);
}

// A tile for each block; few blocks that take many tiles; rows that take ever longer; results that decide nothing.
INSTANTIATE_TEST_SUITE_P(Forms, FusedProgram,
                         ::testing::Values(fused(0), fused(0, {"512", "64"}), fused(0, {"512", "0", "1"}), fused(3),
                                           fused(5)));

void expect_whole(const TimedRun& run, const std::string& reason) {
  vcluster::BodyReport body = body_of(sampled(run));
  EXPECT_EQ(body.run, body.total);
  EXPECT_NE(body.reason.find(reason), body.reason.npos) << body.reason;
}

TEST(Sampling, MakesABodyWhoseFlagIsWaitedFor) {
  expect_whole(fused(1), "the kernel decides what to do by memory that it stores to, near");
}

// Block 100 looks at flags when others have left the body out already: the run is made again.
TEST(Sampling, MakesABodyWhoseFlagIsWaitedForLater) {
  expect_whole(fused(1, {"512", "0", "0", "100"}), "the kernel decides what to do by memory that it stores to, near");
}

TEST(Sampling, MakesABodyThatPicksAPeer) {
  expect_whole(fused(2), "the kernel decides what to do by memory that it stores to");
}

TEST(Sampling, MakesABodyThatPicksAPeerInALocal) {
  expect_whole(fused(4), "what it writes into a variable of its caller decides what the kernel does");
}

// Threads that wait in one body are counted there when others of their block have come to another one.
TEST(Sampling, TellsBodiesOfABlockApart) {
  vcluster::RunReport report = sampled({"tests/simulate/timing/two_bodies.cu", {}, 2, 2});
  EXPECT_EQ(report.verdict, "ok");
  ASSERT_EQ(report.bodies.size(), 2u);
  EXPECT_LT(report.bodies[0].run, report.bodies[0].total);
  EXPECT_EQ(report.bodies[0].run, report.bodies[1].run);
}

// 1.2 GB of matrices, of which hardly any page is touched.
TEST(Sampling, LeavesEveryThreadItsOwnObjects) {
  EXPECT_EQ(simulated({.program = "tests/simulate/timing/objects_given.cu", .sample = true}).output, "right\n");
}

TEST(Sampling, TimesFullSizes) {
  vcluster::RunReport report = simulated({"tests/simulate/timing/gemm_allgather.cu", {"8192"}, 2, 1, true}).report;
  EXPECT_EQ(report.blocks_run, 16u);
  EXPECT_EQ(report.blocks_total, 512u * 512u);
}

nlohmann::json trace_of(const TimedRun& run) {
  ScratchFolder scratch = ScratchFolder::make("cuco-trace").value();
  TimedRun traced = run;
  traced.trace = scratch.path() / "trace.json";
  simulated(traced);
  return nlohmann::json::parse(*read_file(traced.trace));
}

TEST(Trace, HasRanksAsProcessesAndStreamsLinksAndMultiprocessorsAsTracks) {
  nlohmann::json trace = trace_of({"tests/simulate/gin_pipeline.cu", {}, 4, 2});
  std::set<std::string> processes, tracks;
  for (const nlohmann::json& event : trace["traceEvents"]) {
    if (event["name"] == "process_name") processes.insert(event["args"]["name"]);
    if (event["name"] == "thread_name") tracks.insert(event["args"]["name"]);
  }
  EXPECT_EQ(processes, (std::set<std::string>{"rank 0", "rank 1", "rank 2", "rank 3"}));
  for (const char* track : {"default stream", "NIC", "link inside the node", "SM 0.0"})
    EXPECT_TRUE(tracks.contains(track)) << track;
}

TEST(Trace, LeadsFromEveryPutToALaterWait) {
  std::map<int, double> begins;
  size_t ends = 0;
  nlohmann::json trace = trace_of({"tests/simulate/gin_pipeline.cu", {}, 4, 2});
  for (const nlohmann::json& event : trace["traceEvents"]) {
    if (event["ph"] == "s") begins[event["id"]] = event["ts"];
    if (event["ph"] != "f") continue;
    ends++;
    ASSERT_TRUE(begins.contains(event["id"]));
    EXPECT_GT(event["ts"].get<double>(), begins[event["id"]]);
  }
  EXPECT_GE(ends, 4u * 8u);  // Every rank waits for eight chunks.
}

}  // namespace
}  // namespace cuco
