// Runs the programs of this folder under the harness and compares what they put out with values computed here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <span>

#include "base/files.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "cuco/draw.h"
#include "evaluate/free_order.h"
#include "evaluate/judging/judge.h"
#include "evaluate/plain/plain.h"
#include "frontend/frontend.h"
#include "lowering/lower.h"
#include "model/comm_graph.h"
#include "vcluster/input_keys.h"
#include "vcluster/simulate.h"

namespace cuco {
namespace {

const std::filesystem::path kSource = CUCO_SOURCE_DIR;

// A program, built once with checks, for the harness or plainly.
class Built {
 public:
  explicit Built(const char* name, bool plain = false, std::vector<std::string> definitions = {})
      : scratch_(ScratchFolder::make("cuco-harness").value()) {
    request.build.flags.definitions = std::move(definitions);
    request.harness.plain = plain;
    request.build.files = {(kSource / "tests" / "harness" / name).string()};
    request.build.share = kSource;
    request.build.folder = scratch_.path();
    request.build.harness = !plain;
    request.build.cost_plugin = vcluster::default_cost_plugin().value();
    request.build.check_plugin = vcluster::default_check_plugin().value();
    request.profile = kSource / "profiles" / "a100x4-nvlink.toml";
    request.runner = vcluster::default_runner().value();
    request.harness.capture = scratch_.path() / "capture";
    Result<vcluster::Image> built = vcluster::build_image(request.build, lowering::lower_to_cpp, processes_);
    EXPECT_TRUE(built) << built.error().message;
    if (built) image_ = *built;
  }

  vcluster::RunReport run(uint64_t schedule_seed = 0) {
    std::filesystem::remove(request.harness.capture);
    return vcluster::run_schedule(request, image_, schedule_seed, processes_).value().report;
  }
  evaluate::Capture capture() const { return evaluate::read_capture(request.harness.capture).value(); }

  vcluster::SimulationRequest request;

 private:
  ScratchFolder scratch_;
  RealProcessRunner processes_;
  vcluster::Image image_;
};

std::string texts(const vcluster::RunReport& report) {
  std::string text = concat(report.verdict, " ", report.exit_code, "\n");
  for (const vcluster::RunFinding& finding : report.findings)
    text +=
        concat(model::name_of(finding.severity), " ", finding.kind, " rank ", finding.rank, ": ", finding.text, "\n");
  return text;
}

template <typename T>
std::vector<T> values_of(const evaluate::CapturedOutput& output) {
  std::vector<T> values(output.count);
  std::memcpy(values.data(), output.bytes.data(), output.bytes.size());
  return values;
}

template <typename T>
std::vector<T> drawn(Element element, Distribution distribution, DrawKey key, size_t count) {
  std::vector<T> values(count);
  draw_all(element, distribution, key, values.data(), count);
  return values;
}

// The whole field of all ranks, swept three times.
std::vector<double> reference_halo(uint32_t ranks, size_t cells, uint32_t iteration, const std::string& run_key) {
  std::vector<double> field(1, 0);
  for (uint32_t rank = 0; rank < ranks; rank++) {
    DrawKey key = {vcluster::rank_key_of(run_key, rank), iteration, 0};
    std::vector<double> part = drawn<double>(Element::Float64, uniform(-1, 1), key, cells);
    field.insert(field.end(), part.begin(), part.end());
  }
  field.push_back(0);
  for (int sweep = 0; sweep < 3; sweep++) {
    std::vector<double> before = field;
    for (size_t i = 1; i + 1 < field.size(); i++)
      field[i] = 0.25 * before[i - 1] + 0.5 * before[i] + 0.25 * before[i + 1];
  }
  return {field.begin() + 1, field.end() - 1};
}

TEST(Harness, OutputsOfEveryRankAndIterationAreCaptured) {
  Built program("halo.cu");
  program.request.rank_count = 3;
  program.request.harness.run_key = "5";
  vcluster::RunReport report = program.run();
  EXPECT_EQ(texts(report), "ok 0\n");
  evaluate::Capture capture = program.capture();
  ASSERT_EQ(capture.size(), 3u * 4);
  for (const evaluate::CapturedOutput& output : capture) {
    std::vector<double> field = reference_halo(3, 100, output.iteration, "5");
    std::vector<double> part = values_of<double>(output);
    ASSERT_EQ(part.size(), 100u);
    for (size_t i = 0; i < part.size(); i++)
      ASSERT_EQ(part[i], field[output.rank * 100 + i]) << output.rank << " " << i;
    EXPECT_EQ(output.name, "end");
    EXPECT_EQ(output.absolute, 1e-12);
  }
  EXPECT_TRUE(evaluate::judge_baseline(capture).empty());
}

TEST(Harness, ScheduleDoesNotChangeInputsButInputSeedDoes) {
  Built program("halo.cu");
  program.run(0);
  evaluate::Capture first = program.capture();
  vcluster::RunReport other = program.run(7);
  EXPECT_EQ(texts(other), "ok 0\n");
  EXPECT_TRUE(evaluate::compare(first, program.capture()).empty());
  program.request.harness.run_key = "2";
  program.run(0);
  EXPECT_EQ(evaluate::compare(first, program.capture()).size(), 2u);
}

TEST(Harness, RepeatsToTheByte) {
  Built program("halo.cu");
  std::string first = to_text(program.run(3)), bytes = *read_file(program.request.harness.capture);
  EXPECT_EQ(to_text(program.run(3)), first);
  EXPECT_EQ(*read_file(program.request.harness.capture), bytes);
}

TEST(Harness, IntegersInHostMemoryAreDrawnAndCaptured) {
  Built program("histogram.cu");
  program.request.arguments = {"bins=9"};
  EXPECT_EQ(texts(program.run()), "ok 0\n");
  for (const evaluate::CapturedOutput& output : program.capture()) {
    std::vector<int64_t> bins(9);
    for (uint32_t rank = 0; rank < 2; rank++)
      for (int value : drawn<int>(Element::Int32, integers(0, 8),
                                  {vcluster::rank_key_of("", rank), output.iteration, 0}, 1000 + 100 * rank))
        bins.at(static_cast<size_t>(value))++;
    EXPECT_EQ(values_of<int64_t>(output), bins);
  }
}

TEST(Harness, RanksMayBeThreadsAndOutputsInputs) {
  Built program("prefix_sum.cu");
  program.request.rank_count = 4;
  EXPECT_EQ(texts(program.run()), "ok 0\n");
  std::map<uint32_t, int> sums;  // By iteration.
  for (const evaluate::CapturedOutput& output : program.capture()) {
    std::vector<int> values = drawn<int>(Element::Int32, integers(-100, 100),
                                         {vcluster::rank_key_of("", output.rank), output.iteration, 0}, 50);
    for (int& value : values) value = sums[output.iteration] += value;
    EXPECT_EQ(values_of<int>(output), values) << output.rank;
  }
}

TEST(Harness, RanksStartTogetherAndTheMedianIterationIsTheTimedRegion) {
  Built program("halo.cu");
  program.request.harness.warmups = 2;
  program.request.harness.iterations = 3;
  vcluster::RunReport report = program.run(11);
  ASSERT_EQ(report.iterations.size(), 2u * 5);
  std::vector<double> lengths;
  for (uint32_t i = 0; i < 5; i++) {
    const vcluster::HarnessIteration &first = report.iterations[i], &second = report.iterations[5 + i];
    EXPECT_EQ(first.begin_us, second.begin_us);
    EXPECT_EQ(first.is_timed, i >= 2);
    if (first.is_timed) lengths.push_back(std::max(first.end_us, second.end_us) - first.begin_us);
  }
  std::sort(lengths.begin(), lengths.end());
  ASSERT_NE(slowest(report), nullptr);
  EXPECT_EQ(slowest(report)->region, "harness");
  EXPECT_NEAR(slowest(report)->length_us(), lengths[1], 1e-6);
  EXPECT_GT(report.bound_compute_us, 0);
}

TEST(HarnessLoop, OutputsOfEveryCallAreThoseOfItsInputs) {
  Built program("halo.cu");
  program.request.rank_count = 3;
  program.request.harness.run_key = "5";
  program.request.harness.loop = {20, 20};
  for (uint64_t seed : {0, 1, 2}) {
    vcluster::RunReport report = program.run(seed);
    EXPECT_EQ(texts(report), "ok 0\n");
    EXPECT_EQ(report.calls, 20u);
    EXPECT_TRUE(report.iterations.empty());
    evaluate::Capture capture = program.capture();
    ASSERT_EQ(capture.size(), 3u * 20);
    for (const evaluate::CapturedOutput& output : capture) {
      std::vector<double> field = reference_halo(3, 100, output.iteration, "5");
      EXPECT_TRUE(std::ranges::equal(values_of<double>(output), std::span(field).subspan(output.rank * 100, 100)));
    }
  }
}

TEST(HarnessLoop, RanksMayBeThreadsAndBuffersOfTheHost) {
  for (const char* name : {"prefix_sum.cu", "histogram.cu"}) {
    Built program(name);
    program.request.harness.loop = {8, 8};
    EXPECT_EQ(texts(program.run(1)), "ok 0\n");
    evaluate::Capture looped = program.capture();
    program.request.harness.loop = {};
    program.request.harness.iterations = 7;
    EXPECT_EQ(texts(program.run(1)), "ok 0\n");
    EXPECT_TRUE(evaluate::compare(program.capture(), looped).empty()) << name;
  }
}

TEST(HarnessLoop, StoresIntoPeersThatAreNotAskedRace) {
  Built program("lsa_gather.cu");
  EXPECT_EQ(texts(program.run()), "ok 0\n");
  program.request.arguments = {"waits=0"};
  EXPECT_EQ(texts(program.run()), "ok 0\n") << "a meeting before every call hides it";
  program.request.harness.loop = {20, 20};
  vcluster::RunReport report = program.run();
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].kind, "window_race") << texts(report);
  EXPECT_NE(report.findings[0].text.find("the program, which "), std::string::npos) << texts(report);
  program.request.arguments = {};
  for (uint64_t seed : {0, 1, 2, 3}) EXPECT_EQ(texts(program.run(seed)), "ok 0\n");
}

// A launch, both kernels with the gap between them, and a host that has to notice the end: that is all there is to it
// but for the 0.3 us in which the host makes the first call.
TEST(Harness, RegionWithoutCommunicationTakesItsBound) {
  Built program("apart.cu");
  vcluster::RunReport report = program.run();
  EXPECT_EQ(texts(report), "ok 0\n");
  EXPECT_NEAR(slowest(report)->length_us() - report.bound_order_us, 0.3, 0.01);
}

TEST(Harness, PlainBuildRunsByItself) {
  Built program("halo.cu");
  program.request.build.harness = false;
  RealProcessRunner processes;
  vcluster::SimulationReport report = vcluster::simulate(program.request, lowering::lower_to_cpp, processes).value();
  EXPECT_EQ(texts(report.schedules[0].report), "ok 0\n");
  EXPECT_NE(report.schedules[0].output.find("2 ranks, slowest: median "), std::string::npos);
}

TEST(Harness, DeviceInitiatedCandidateMatchesItsHostDrivenBaseline) {
  Built baseline("misbehaves.cu"), candidate("lsa_gather.cu");
  for (uint64_t seed : {0, 1, 2}) {
    baseline.request.harness.run_key = candidate.request.harness.run_key = std::to_string(seed);
    EXPECT_EQ(texts(baseline.run(seed)), "ok 0\n");
    EXPECT_EQ(texts(candidate.run(seed)), "ok 0\n");
    EXPECT_TRUE(evaluate::compare(baseline.capture(), candidate.capture()).empty());
  }
}

TEST(Harness, ProgramThatAnswersItselfIsRefused) {
  ScratchFolder scratch = ScratchFolder::make("cuco-harness").value();
  vcluster::BuildRequest build;
  build.files = {(kSource / "tests" / "harness" / "defines_begin.cu").string()};
  build.share = kSource;
  build.folder = scratch.path();
  build.harness = true;
  RealProcessRunner processes;
  Result<vcluster::Image> image = vcluster::build_image(build, lowering::lower_to_cpp, processes);
  ASSERT_FALSE(image);
  EXPECT_NE(image.error().message.find("the program defines cuco_harness_begin, which only the runner may"),
            std::string::npos)
      << image.error().message;
}

model::Program analyzed(const char* name, std::vector<std::string> definitions = {}) {
  frontend::ParseRequest request;
  request.files = {(kSource / "tests" / "harness" / name).string()};
  request.flags.definitions = std::move(definitions);
  request.share = kSource;
  model::Program program = frontend::read_program(request).value();
  model::build_comm_graph(program);
  return program;
}

TEST(PlainProgram, CopiesToTheHostAfterTheRegionAreItsOutputs) {
  Built program("plain_dot.cu", true);
  EXPECT_EQ(texts(program.run()), "ok 0\n");
  evaluate::Capture capture = program.capture();
  evaluate::describe_baseline(capture, analyzed("plain_dot.cu"));
  evaluate::set_tolerances({}, 0, capture);
  ASSERT_EQ(capture.size(), 2u);
  for (const evaluate::CapturedOutput& output : capture) {
    EXPECT_EQ(output.name, "copy to host 0");
    EXPECT_EQ(output.element, static_cast<uint32_t>(Element::Float32));
    EXPECT_EQ(output.count, 1u);
    EXPECT_GT(output.absolute, 0);
  }
  EXPECT_EQ(capture[0].bytes, capture[1].bytes);
  EXPECT_TRUE(evaluate::watches_of(capture).empty());
}

TEST(PlainProgram, RandomNumbersFollowTheInputSeedAndNotTheSchedule) {
  Built program("plain_dot.cu", true);
  program.run(0);
  evaluate::Capture first = program.capture();
  program.run(9);
  evaluate::Capture other_schedule = program.capture();
  EXPECT_TRUE(evaluate::compare(first, other_schedule).empty());
  program.request.harness.run_key = "2";
  program.run(0);
  EXPECT_EQ(evaluate::compare(first, program.capture()).size(), 2u);
}

TEST(PlainProgram, WithoutCopiesWhatWasReceivedIsTheOutput) {
  Built program("plain_dot.cu", true, {"KEEPS_RESULT"});
  EXPECT_EQ(texts(program.run()), "ok 0\n");
  evaluate::Capture capture = program.capture();
  evaluate::describe_baseline(capture, analyzed("plain_dot.cu", {"KEEPS_RESULT"}));
  ASSERT_EQ(capture.size(), 4u);  // At the end of the region and of the program, on two ranks.
  EXPECT_EQ(capture[0].name, "allocation 3 at byte 0");
  EXPECT_EQ(capture[0].element, static_cast<uint32_t>(Element::Float32));
  EXPECT_EQ(capture[0].bytes, capture[3].bytes);

  program.request.harness.watches = evaluate::watches_of(capture);
  ASSERT_EQ(program.request.harness.watches.size(), 2u);
  program.run(5);
  evaluate::Capture watched = program.capture();
  evaluate::describe_candidate(watched, capture);
  EXPECT_TRUE(evaluate::compare(capture, watched).empty());
}

TEST(PlainProgram, PerturbedInputsShowAMessageThatIsMissing) {
  Built baseline("plain_constant.cu", true), skipping("plain_constant.cu", true, {"SKIPS"});
  model::Program program = analyzed("plain_constant.cu");
  std::vector<vcluster::Upload> uploads = evaluate::floating_uploads(baseline.run(), program);
  ASSERT_EQ(uploads.size(), 1u) << "of the two copies to a device one has integers, which mean something";
  auto differs = [&](Built& candidate) {
    EXPECT_EQ(texts(baseline.run()) + texts(candidate.run(3)), "ok 0\nok 0\n");
    evaluate::Capture expected = baseline.capture(), found = candidate.capture();
    evaluate::describe_baseline(expected, program);
    evaluate::describe_candidate(found, expected);
    return !evaluate::compare(expected, found).empty();
  };
  EXPECT_FALSE(differs(skipping)) << "constant inputs hide it";
  baseline.request.harness.perturbed = skipping.request.harness.perturbed = uploads;
  EXPECT_TRUE(differs(skipping));
  EXPECT_FALSE(differs(baseline));
}

class Misbehaviour : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { program = new Built("misbehaves.cu"); }
  static void TearDownTestSuite() { delete program; }
  static vcluster::RunReport run_fault(int fault) {
    program->request.arguments = {concat("fault=", fault)};
    return program->run();
  }
  static Built* program;
};
Built* Misbehaviour::program = nullptr;

enum Fault {
  kHonest,
  kForgetsToWait,
  kLeavesAStreamBusy,
  kExitsInRegion,
  kExitsBefore,
  kNamesOtherBuffers,
  kLeavesAThread,
  kReadsPoison,
  kWritesHalf,
  kNamesTooMuch,
  kNamesNoOutput,
  kOpensTwice,
  kNeverRuns,
  kSpinsOn,
  kRecordsAnEvent,
  kKeepsAThread,
  kTakesTime,
};

// Its first finding.
vcluster::RunFinding first(const vcluster::RunReport& report) {
  EXPECT_FALSE(report.findings.empty()) << texts(report);
  return report.findings.empty() ? vcluster::RunFinding{} : report.findings.front();
}

TEST_F(Misbehaviour, HonestProgramHasNoFinding) { EXPECT_EQ(texts(run_fault(kHonest)), "ok 0\n"); }

TEST_F(Misbehaviour, EventRecordAtTheEndIsNoLeak) { EXPECT_EQ(texts(run_fault(kRecordsAnEvent)), "ok 0\n"); }

TEST_F(Misbehaviour, ThreadThatSleepsAllAlongIsNoLeak) { EXPECT_EQ(texts(run_fault(kKeepsAThread)), "ok 0\n"); }

TEST_F(Misbehaviour, UnfinishedCollectiveLeaks) {
  vcluster::RunReport report = run_fault(kForgetsToWait);
  EXPECT_EQ(first(report).kind, "unwritten_output");
  EXPECT_NE(texts(report).find("leaking_work rank 0: ncclAllGather is still under way"), std::string::npos)
      << texts(report);
  evaluate::Capture capture = program->capture();
  EXPECT_TRUE(capture.front().changed_after_return);
}

// What each rank shows by itself, without a meeting.
TEST_F(Misbehaviour, LeaksAndPoisonAreFoundInALoop) {
  const std::pair<Fault, const char*> kinds[] = {{kForgetsToWait, "leaking_work"}, {kLeavesAStreamBusy, "leaking_work"},
                                                 {kSpinsOn, "leaking_work"},       {kLeavesAThread, "leaking_work"},
                                                 {kReadsPoison, "unwritten_read"}, {kWritesHalf, "unwritten_output"}};
  program->request.harness.loop = {6, 6};
  for (auto [fault, kind] : kinds) {
    std::string all = texts(run_fault(fault));
    EXPECT_NE(all.find(kind), std::string::npos) << fault << ": " << all;
  }
  for (Fault fault : {kHonest, kRecordsAnEvent, kKeepsAThread}) EXPECT_EQ(texts(run_fault(fault)), "ok 0\n");
  program->request.harness.loop = {};
}

TEST_F(Misbehaviour, BusyStreamWithoutOutputsLeaks) {
  vcluster::RunFinding finding = first(run_fault(kLeavesAStreamBusy));
  EXPECT_EQ(finding.kind, "leaking_work");
  EXPECT_TRUE(finding.is_error());
}

TEST_F(Misbehaviour, KernelThatNeverEndsLeaks) {
  vcluster::RunReport report = run_fault(kSpinsOn);
  EXPECT_EQ(first(report).kind, "leaking_work") << texts(report);
}

TEST_F(Misbehaviour, ThreadThatOutlivesTheRegionLeaks) {
  vcluster::RunReport report = run_fault(kLeavesAThread);
  EXPECT_EQ(first(report).kind, "leaking_work") << texts(report);
  EXPECT_TRUE(program->capture().front().changed_after_return);
}

TEST_F(Misbehaviour, ExitInTheRegionNamesTheRank) {
  vcluster::RunFinding finding = first(run_fault(kExitsInRegion));
  EXPECT_EQ(finding.kind, "left_early");
  EXPECT_EQ(finding.text, "rank 1 ends with exit code 0 inside its region, in iteration 0");
}

TEST_F(Misbehaviour, RankThatNeverBeginsIsNamed) {
  EXPECT_EQ(first(run_fault(kExitsBefore)).text, "rank 1 ends with exit code 0 before its region was called");
  EXPECT_EQ(first(run_fault(kNeverRuns)).kind, "left_early");
}

TEST_F(Misbehaviour, BuffersThatDifferBetweenRanksAreNamed) {
  EXPECT_EQ(first(run_fault(kNamesOtherBuffers)).text, "ranks 0 and 1 name different buffers to the harness");
}

TEST_F(Misbehaviour, PoisonThatIsReadIsFound) { EXPECT_EQ(first(run_fault(kReadsPoison)).kind, "unwritten_read"); }

TEST_F(Misbehaviour, OutputThatIsNotWrittenIsNamedByIndex) {
  vcluster::RunFinding finding = first(run_fault(kWritesHalf));
  EXPECT_EQ(finding.kind, "unwritten_output");
  EXPECT_EQ(finding.text,
            concat("output gathered of rank ", finding.rank, " is never written at index 64 in iteration 0"));
  EXPECT_EQ(evaluate::judge_baseline(program->capture()).size(), 2u);
}

TEST_F(Misbehaviour, BufferBeyondItsMemoryIsRefused) {
  EXPECT_EQ(first(run_fault(kNamesTooMuch)).kind, "harness_misuse");
  EXPECT_NE(first(run_fault(kNamesTooMuch)).text.find("516 bytes, but only 512 are left"), std::string::npos);
}

TEST_F(Misbehaviour, ProgramWithoutOutputIsRefused) {
  EXPECT_EQ(first(run_fault(kNamesNoOutput)).text, "the program names no output to the harness");
}

TEST_F(Misbehaviour, SecondHarnessIsRefused) { EXPECT_EQ(first(run_fault(kOpensTwice)).kind, "harness_misuse"); }

TEST_F(Misbehaviour, ParametersThatDoNotFitAreSaid) {
  program->request.arguments = {"count=0"};
  vcluster::RunReport report = program->run();
  EXPECT_EQ(first(report).kind, "cannot_run");
  EXPECT_EQ(first(report).text, "count must be positive");
  EXPECT_EQ(report.exit_code, 2);
}

TEST_F(Misbehaviour, SlowestRankCounts) {
  double honest = slowest(run_fault(kHonest))->length_us();
  EXPECT_NEAR(slowest(run_fault(kTakesTime))->length_us(), honest + 500, 1);
}

}  // namespace
}  // namespace cuco
