// The runner, linked into a program by gpu::Program and started by mpirun in the sandbox, on host memory: only nvcc,
// CUDA and NCCL are stand-ins.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "base/files.h"
#include "base/text.h"
#include "cuco/draw.h"
#include "evaluate/judging/judge.h"
#include "evaluate/sandbox.h"
#include "gpu/evaluate.h"
#include "gpu/judge.h"
#include "gpu/plain.h"
#include "testing/fake_environment.h"
#include "testing/fake_process.h"
#include "testing/scratch_folder.h"
#include "vcluster/input_keys.h"

namespace cuco::gpu {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kRanks = 2;
const fs::path kFolder = fs::path(CUCO_SOURCE_DIR) / "tests/gpu";

std::string text_of(const fs::path& path) { return read_file(path).value(); }

// Two GPUs, as nvidia-smi would list them, and the mpirun that is here.
class TwoGpus {
 public:
  TwoGpus() {
    processes.answers["mpirun --version"] = {0, "mpirun (Open MPI) 4.1\n"};
    processes.respond = [](const std::string& line) { return answer(line); };
    request.executor = Executor::Mpi;
    request.rank_count = kRanks;
    request.state_folder = scratch_.path();
  }

  Result<Session> open() { return Session::open(request, processes, environment); }

  // All ranks on the first of them, by MPS and an NCCL that allows it.
  void share_one() {
    processes.respond = [](const std::string& line) {
      return line.find("mps-control") == line.npos ? answer(line) : ProcessOutput{0, ""};
    };
    environment.files = {{"/bin/nvidia-cuda-mps-control", ""},
                         {"/n/lib/libnccl.so.2", ""},
                         {"/n/include/nccl.h", "#define NCCL_MAJOR 2\n#define NCCL_MINOR 30\n#define NCCL_PATCH 7\n"}};
    environment.variables = {{"NCCL_HOME", "/n"}};
    request.executor = Executor::OneGpu;
  }

  cuco::testing::FakeProcessRunner processes;
  cuco::testing::FakeEnvironment environment;
  SessionRequest request;

 private:
  static std::optional<ProcessOutput> answer(const std::string& line) {
    if (line.find("--query-gpu=index") != std::string::npos)
      return ProcessOutput{0,
                           "0, GPU-a, GPU of host memory, 9.0, 1024, 1, Default\n"
                           "1, GPU-b, GPU of host memory, 9.0, 1024, 1, Default\n"};
    if (line.find("--query-compute-apps") != std::string::npos) return ProcessOutput{0, ""};
    return std::nullopt;
  }

  cuco::testing::ScratchFolder scratch_;
};

// Built once for all tests: the compiler takes longer than the runs.
class GpuRun : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new Shared;
    shared_->why_not = shared_->prepare();
  }
  static void TearDownTestSuite() { delete shared_; }
  void SetUp() override {
    if (!shared_->why_not.empty()) GTEST_SKIP() << shared_->why_not;
    ASSERT_TRUE(shared_->program.has_value()) << shared_->failure;
  }

  static RunRequest fault(const std::string& name) {
    RunRequest request;
    request.warmups = 1;
    request.iterations = 3;
    request.limit_s = 120;
    request.region_limit_s = 3;
    request.variables = {{"CUCO_TEST_FAULT", name}};
    return request;
  }
  static RunOutcome run(const RunRequest& request, Variant variant = Variant::Whole) {
    Session session = shared_->gpus.open().value();
    Result<RunOutcome> outcome = shared_->program->run(request, session, variant);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome ? *outcome : RunOutcome{};
  }
  static RunOutcome run(const std::string& name) { return run(fault(name)); }
  static std::vector<evaluate::Finding> findings(const RunOutcome& outcome) {
    return findings_of(outcome, shared_->files());
  }

  struct Shared {
    TwoGpus gpus;
    cuco::testing::ScratchFolder libraries, cache;
    evaluate::Tools tools;
    Toolchain toolchain;
    evaluate::ProgramSetting setting;
    std::optional<Program> program;
    std::string why_not, failure;

    std::vector<SourceFile> files() const { return {{"sum.cu", text_of(kFolder / "programs/sum.cu")}}; }
    std::string prepare();
    bool make_libraries(RealProcessRunner& processes);
    void make_program();
  };
  static Shared* shared_;
};

GpuRun::Shared* GpuRun::shared_ = nullptr;

// Why nothing can be tried here, or empty.
std::string GpuRun::Shared::prepare() {
  RealProcessRunner processes;
  for (const char* needed : {"mpirun", "mpicxx"})
    if (!RealEnvironment().find_program(needed)) return concat(needed, " is not here");
  Status works = evaluate::check_sandbox(processes);
  setting.sandbox = works.ok();
  if (!make_libraries(processes))
    failure = "the stand-ins of the libraries do not build";
  else
    make_program();
  return "";
}

bool GpuRun::Shared::make_libraries(RealProcessRunner& processes) {
  Result<ProcessOutput> built =
      processes.run({"mpicxx", "-shared", "-fPIC", "-I" + (kFolder / "stand_in").string(),
                     (kFolder / "stand_in/libraries.cpp").string(), "-o", (libraries.path() / "libnccl.so.2").string()},
                    120'000);
  return built && built->exit_code == 0;
}

void GpuRun::Shared::make_program() {
  Result<ProcessOutput> flags = RealProcessRunner().run({"mpicxx", "--showme:compile"}, 20'000);
  Result<ProcessOutput> link = RealProcessRunner().run({"mpicxx", "--showme:link"}, 20'000);
  toolchain.nvcc = kFolder / "stand_in/nvcc";
  toolchain.nccl_include = kFolder / "stand_in";
  toolchain.nccl_library = libraries.path();
  for (const std::string& word : split(trim(flags->text), ' ')) toolchain.mpi_compile.push_back(word);
  for (const std::string& word : split(trim(link->text), ' ')) toolchain.mpi_link.push_back(word);
  toolchain.mpi_compile.push_back("-I" + kFolder.string());
  tools = evaluate::find_tools(share_folder().value(), RealEnvironment()).value();
  setting.configuration.rank_count = kRanks;
  setting.configuration.parameters = {{"n", 4096}};
  Result<Program> made = Program::make(files(), setting, tools, toolchain, "sm_90", evaluate::Cache(cache.path()));
  Status built = made->build();
  if (!built)
    failure = built.error().message;
  else
    program.emplace(*made);
}

float sum_of_inputs(const RunRequest& request, uint32_t iteration, uint64_t index) {
  float sum = 0;
  for (uint32_t rank = 0; rank < kRanks; rank++) {
    uint64_t base = draw_detail::base_of({vcluster::rank_key_of(request.run_key, rank), iteration, 0});
    sum += static_cast<float>(draw(normal(0, 1), base, index));
  }
  return sum;
}

TEST_F(GpuRun, OutputsOfEveryIterationAreCapturedAndFollowFromTheDrawnInputs) {
  RunRequest request = fault("none");
  request.run_key = "77";
  RunOutcome outcome = run(request);
  ASSERT_EQ(outcome.end, "ok") << outcome.output;
  EXPECT_TRUE(findings(outcome).empty());
  EXPECT_FALSE(outcome.capture_sampled);
  ASSERT_EQ(outcome.capture.size(), kRanks * 4u);
  for (const evaluate::CapturedOutput& output : outcome.capture) {
    ASSERT_EQ(output.count, 4096u);
    for (uint64_t index : {0u, 7u, 4095u})
      EXPECT_FLOAT_EQ(static_cast<float>(load_element(Element::Float32, output.bytes.data(), index)),
                      2 * sum_of_inputs(request, output.iteration, index));
    EXPECT_FALSE(output.changed_after_return);
  }
}

TEST_F(GpuRun, EveryCallIsTimedFromACommonStart) {
  RunOutcome outcome = run("none");
  ASSERT_EQ(outcome.calls.size(), kRanks * 4u);
  EXPECT_EQ(std::count_if(outcome.calls.begin(), outcome.calls.end(), [](const TimedCall& c) { return c.is_timed; }),
            kRanks * 3);
  for (const TimedCall& call : outcome.calls) EXPECT_GT(call.us, 0);
  evaluate::Timing timing = timing_of(outcome);
  EXPECT_EQ(timing.rank_us.size(), kRanks);
  EXPECT_GE(timing.median_us, timing.least_us);
}

// Rank 0 sleeps for 300 ms in its region; rank 1 does not, and its own time says so.
TEST_F(GpuRun, TimeIsTheSlowestRanks) {
  RunOutcome outcome = run("late");
  evaluate::Timing timing = timing_of(outcome);
  ASSERT_EQ(timing.rank_us.size(), kRanks);
  EXPECT_GT(timing.median_us, 290e3);
  EXPECT_GT(timing.rank_us[0], timing.rank_us[1]);
}

TEST_F(GpuRun, WrongElementIsFoundByTheJudge) {
  RunOutcome right = run("none"), wrong = run("wrong");
  std::vector<evaluate::Finding> found = evaluate::compare(right.capture, wrong.capture);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rank, 1);
  EXPECT_NE(found[0].text.find("index 7 in iteration 2"), std::string::npos) << found[0].text;
  EXPECT_TRUE(evaluate::compare(right.capture, run("none").capture).empty());
}

TEST_F(GpuRun, OutputsBeyondTheRoomAreTakenInBlocksAtTheSamePlaces) {
  RunRequest request = fault("none");
  request.capture_bytes_max = 16 << 10;
  RunOutcome outcome = run(request);
  EXPECT_TRUE(outcome.capture_sampled);
  ASSERT_EQ(outcome.capture.size(), kRanks * 4u);
  EXPECT_LT(outcome.capture[0].count, 4096u);
  EXPECT_NE(outcome.capture[0].name.find("blocks of 4096 elements"), std::string::npos);
  EXPECT_TRUE(evaluate::compare(outcome.capture, run(request).capture).empty());
}

TEST_F(GpuRun, ElementThatNothingWroteIsFoundInOutputsThatAreTakenInBlocks) {
  RunRequest request = fault("unwritten");
  request.capture_bytes_max = 8 << 10;
  std::vector<evaluate::Finding> found = findings(run(request));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "unwritten_output");
  EXPECT_EQ(found[0].text, "output sum of rank 1 is not written at 1 of its elements in iteration 1");
}

TEST_F(GpuRun, OutputThatChangesAfterTheRegionReturnedIsMarked) {
  RunOutcome outcome = run("late");
  ASSERT_EQ(outcome.end, "ok") << outcome.output;
  for (const evaluate::CapturedOutput& output : outcome.capture)
    EXPECT_EQ(output.changed_after_return, output.rank == 1) << output.rank;
}

TEST_F(GpuRun, RankThatDiesIsASignal) {
  RunOutcome outcome = run("dies");
  EXPECT_EQ(outcome.end, "signal") << outcome.output;
  std::vector<evaluate::Finding> found = findings(outcome);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "fault");
  EXPECT_NE(found[0].text.find("signal 11"), std::string::npos) << found[0].text;
}

TEST_F(GpuRun, GpuThatFailsIsNamedThoughTheProgramDoesNotAsk) {
  std::vector<evaluate::Finding> found = findings(run("fails"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "fault");
  EXPECT_EQ(found[0].rank, 1);
  EXPECT_EQ(found[0].text, "the GPU of rank 1 fails in iteration 1: an illegal memory access was encountered");
}

TEST_F(GpuRun, RankThatLeavesEarlyDoesNotPass) {
  RunOutcome outcome = run("leaves");
  EXPECT_NE(outcome.end, "ok");
  EXPECT_FALSE(findings(outcome).empty());
}

TEST_F(GpuRun, HangIsEndedWithinSecondsAndNamesRankIterationKernelAndWait) {
  auto begin = std::chrono::steady_clock::now();
  RunOutcome outcome = run("hangs");
  std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(taken.count(), 60);
  ASSERT_EQ(outcome.end, "hang") << outcome.output;
  std::vector<evaluate::Finding> found = findings(outcome);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "hang");
  EXPECT_EQ(found[0].rank, 1);
  EXPECT_NE(found[0].text.find("in iteration 2; launched and not done: wait_for_it(float*, int), which can wait at "
                               "sum.cu:"),
            std::string::npos)
      << found[0].text;
}

TEST_F(GpuRun, VariantsLeaveOutOneHalfInsideTheRegion) {
  RunRequest request = fault("none");
  RunOutcome silent = run(request, Variant::WithoutCommunication);
  ASSERT_EQ(silent.end, "ok") << silent.output;
  ASSERT_FALSE(silent.faults.empty());
  EXPECT_EQ(silent.faults[0].kind, "unwritten_output") << "the sum is never made";
  RunOutcome idle = run(request, Variant::WithoutKernels);
  ASSERT_EQ(idle.end, "ok") << idle.output;
  ASSERT_FALSE(idle.capture.empty());
  EXPECT_FLOAT_EQ(static_cast<float>(load_element(Element::Float32, idle.capture[0].bytes.data(), 0)),
                  sum_of_inputs(request, 0, 0))
      << "the sum is not doubled";
}

TEST_F(GpuRun, ParametersThatDoNotFitAreRefused) {
  evaluate::ProgramSetting setting = shared_->setting;
  setting.configuration.parameters = {{"n", 4095}};
  Program program = Program::make(shared_->files(), setting, shared_->tools, shared_->toolchain, "sm_90",
                                  evaluate::Cache(shared_->cache.path()))
                        .value();
  ASSERT_TRUE(program.build().ok());
  Session session = shared_->gpus.open().value();
  RunOutcome outcome = program.run(fault("none"), session).value();
  EXPECT_EQ(outcome.end, "refused");
  EXPECT_EQ(outcome.output, "n must be a multiple of the ranks");
}

// Rank 1 is slow; each rank puts out what its peer was given.
TEST_F(GpuRun, RanksMayBeThreadsOfOneProcess) {
  std::vector<SourceFile> files = {{"threads.cu", text_of(kFolder / "programs/threads.cu")}};
  Program program = Program::make(files, shared_->setting, shared_->tools, shared_->toolchain, "sm_90",
                                  evaluate::Cache(shared_->cache.path()))
                        .value();
  Status built = program.build();
  ASSERT_TRUE(built.ok()) << built.error().message;
  Session session = shared_->gpus.open().value();
  RunRequest request = fault("none");
  RunOutcome outcome = program.run(request, session).value();
  ASSERT_EQ(outcome.end, "ok") << outcome.output;
  ASSERT_EQ(outcome.capture.size(), kRanks * 4u);
  for (const evaluate::CapturedOutput& output : outcome.capture) {
    RankKey peer = vcluster::rank_key_of(request.run_key, 1 - output.rank);
    uint64_t base = draw_detail::base_of({peer, output.iteration, 0});
    EXPECT_FLOAT_EQ(static_cast<float>(load_element(Element::Float32, output.bytes.data(), 11)),
                    static_cast<float>(draw(uniform(0, 1), base, 11)));
  }
  EXPECT_GT(timing_of(outcome).rank_us.at(1), 20e3);
}

class PlainGpuRun : public GpuRun {
 protected:
  Program make(std::string text, const std::string& region = "") {
    evaluate::ProgramSetting setting = shared_->setting;
    setting.uses_harness = false;
    setting.flags.region = region;
    setting.configuration.parameters = {};
    Result<Program> program = Program::make({{"plain_sum.cu", std::move(text)}}, setting, shared_->tools,
                                            shared_->toolchain, "sm_90", evaluate::Cache(shared_->cache.path()));
    EXPECT_TRUE(program.ok()) << program.error().message;
    Status built = program->build();
    EXPECT_TRUE(built.ok()) << built.error().message;
    return *program;
  }
  RunOutcome run(const Program& program, const std::string& fault_name) {
    TwoGpus gpus;
    gpus.share_one();
    Session session = gpus.open().value();
    return program.run(fault(fault_name), session).value();
  }

  const std::string text_ = text_of(kFolder / "programs/plain_sum.cu");
};

// Its author's exit code says that the region was called more than once.
TEST_F(PlainGpuRun, RegionIsTimedBetweenItsMarksAndCopiesToTheHostAreOutputs) {
  RunOutcome outcome = run(make(text_), "none");
  ASSERT_EQ(outcome.end, "ok") << outcome.output;
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.output.find("5 calls"), std::string::npos)
      << "1 to warm up, 3 timed, 1 captured: " << outcome.output;
  EXPECT_EQ(std::count_if(outcome.calls.begin(), outcome.calls.end(), [](const TimedCall& c) { return c.is_timed; }),
            kRanks * 3);
  ASSERT_EQ(outcome.capture.size(), kRanks);
  for (evaluate::CapturedOutput output : outcome.capture) {
    ASSERT_EQ(output.bytes.size(), 1024 * sizeof(float));
    for (uint64_t i : {0u, 20u, 1023u})
      EXPECT_FLOAT_EQ(static_cast<float>(load_element(Element::Float32, output.bytes.data(), i)),
                      2 * (2 * (i % 17) + 1));
  }
}

TEST_F(PlainGpuRun, WrongElementIsFoundAndARoundedOneIsWithinItsTypesTolerance) {
  Program program = make(text_);
  RunOutcome right = run(program, "none"), wrong = run(program, "wrong");
  evaluate::Capture known = right.capture;
  for (evaluate::CapturedOutput& output : known) {
    output.element = static_cast<uint32_t>(Element::Float32);
    output.absolute = output.relative = 1e-5;
  }
  evaluate::Capture rounded = right.capture;
  rounded[0].bytes[0] ^= 1;
  for (evaluate::Capture* each : {&right.capture, &wrong.capture, &rounded}) describe_copies(*each, known);
  std::vector<evaluate::Finding> found = evaluate::compare(right.capture, wrong.capture);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rank, 1);
  EXPECT_NE(found[0].text.find("index 7"), std::string::npos) << found[0].text;
  EXPECT_TRUE(evaluate::compare(right.capture, rounded).empty());
}

// One thread drives both GPUs: what it copies for the second is its second copy.
TEST_F(PlainGpuRun, CopiesOfAThreadThatDrivesSeveralGpusGetTheirTypesBySize) {
  evaluate::CapturedOutput sums, counts;
  sums.element = static_cast<uint32_t>(Element::Float32);
  sums.count = 4;
  sums.relative = 1e-5;
  counts.element = static_cast<uint32_t>(Element::Int32);
  counts.count = 2;
  evaluate::Capture known = {sums, counts, sums, counts};
  known[2].rank = known[3].rank = 1;
  evaluate::CapturedOutput copied;
  copied.element = static_cast<uint32_t>(Element::UInt8);
  copied.bytes = std::string(16, '\0');
  evaluate::Capture copies = {copied, copied};
  copies[1].bytes.resize(8);
  describe_copies(copies, known);
  EXPECT_EQ(copies[0].element, sums.element);
  EXPECT_EQ(copies[0].relative, sums.relative);
  EXPECT_EQ(copies[1].element, counts.element);
  // Another size than any that is known, of two types: nobody can tell which it is. Of one type it is that.
  copies = {copied};
  copies[0].bytes.resize(32);
  describe_copies(copies, known);
  EXPECT_EQ(copies[0].element, copied.element);
  describe_copies(copies, {sums, known[2]});
  EXPECT_EQ(copies[0].element, sums.element);
  // Two types of one size.
  known[1].count = 4;
  copies = {copied};
  describe_copies(copies, known);
  EXPECT_EQ(copies[0].element, copied.element);
}

TEST_F(PlainGpuRun, RankThatTakesADeviceBeyondThoseOfItsRanksIsToldSo) {
  RunOutcome outcome = run(make(replace_all(text_, "cudaSetDevice(rank)", "cudaSetDevice(rank + 2)")), "none");
  EXPECT_EQ(outcome.end, "exit");
  EXPECT_NE(outcome.output.find("no device of its own, 2 in all"), std::string::npos) << outcome.output;
}

// An allocation in the region is made once: every call has a process of its own.
TEST_F(PlainGpuRun, RegionWithSetUpIsCalledOnceInEachRun) {
  std::string text = replace_all(text_, "  ncclAllReduce(in",
                                 "  float* more = nullptr;\n  ncclAllReduce(in, sum, count, "
                                 "ncclFloat32, ncclSum, nullptr, stream);\n  "
                                 "cudaMalloc(reinterpret_cast<void**>(&more), 64);\n  ncclAllReduce(in");
  auto line_of = [&](const char* words) { return std::count(text.begin(), text.begin() + text.find(words), '\n') + 1; };
  std::string region = concat("plain_sum.cu:", line_of("double start"), "-", line_of("double taken"));
  RunOutcome outcome = run(make(text, region), "none");
  ASSERT_EQ(outcome.end, "ok") << outcome.output;
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.calls.size(), kRanks * 4u) << "one to warm up, three timed";
  EXPECT_EQ(outcome.capture.size(), kRanks);
}

// Two ranks on one GPU, each on a node of its own, with a stand-in for the emulated NIC between them.
class GpuNodes : public GpuRun {
 protected:
  void SetUp() override {
    GpuRun::SetUp();
    if (IsSkipped()) return;
    fs::path nic = shared_->libraries.path() / "libnic.so";
    Result<ProcessOutput> built = RealProcessRunner().run(
        {"g++", "-shared", "-fPIC", (kFolder / "stand_in/nic.cpp").string(), "-o", nic.string()}, 120'000);
    ASSERT_TRUE(built && built->exit_code == 0) << (built ? built->text : built.error().message);
    gpus_.share_one();
    gpus_.environment.files[nic.string()] = "";
    gpus_.environment.variables["CUCO_NIC"] = nic.string();
    gpus_.request.node_count = kRanks;
    gpus_.request.network = {25, 10};
  }
  RunOutcome run(const RunRequest& request) {
    Session session = gpus_.open().value();
    Result<RunOutcome> outcome = shared_->program->run(request, session);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome ? *outcome : RunOutcome{};
  }

  TwoGpus gpus_;
};

TEST_F(GpuNodes, StatisticsOfTheNicAreOfTheTimedCallsAlone) {
  RunOutcome outcome = run(fault("none"));
  ASSERT_EQ(outcome.end, "ok") << outcome.output;
  ASSERT_TRUE(outcome.network.has_value());
  EXPECT_EQ(outcome.network->nic_count, kRanks);
  EXPECT_EQ(outcome.network->modelled.gb_per_s, 25);
  EXPECT_EQ(outcome.network->sent_messages, kRanks * 3) << "one warm-up is not marked";
  EXPECT_EQ(outcome.network->timed_us, timed_us_of(outcome));
  EXPECT_EQ(outcome.network->doubt(), "") << "a stretch is left open";
}

TEST_F(GpuNodes, NicThatWasLateMakesTheRunDoubtful) {
  RunRequest request = fault("none");
  request.variables.emplace_back("CUCO_TEST_OVERDUE_NS", "900000000");
  RunOutcome outcome = run(request);
  ASSERT_TRUE(outcome.network.has_value());
  EXPECT_NE(outcome.network->doubt().find("messages were overdue for "), std::string::npos);
}

TEST_F(GpuNodes, OneGpuAloneHasNoNic) {
  gpus_.request.node_count = 1;
  RunOutcome outcome = run(fault("none"));
  ASSERT_EQ(outcome.end, "ok") << outcome.output;
  EXPECT_FALSE(outcome.network.has_value());
}

class GpuCascade : public GpuRun {
 protected:
  GpuRequest request(const std::string& from, const std::string& to) {
    GpuRequest made;
    made.request.baseline = shared_->files();
    made.request.candidate = made.request.baseline;
    made.request.candidate[0].text = replace_all(made.request.candidate[0].text, from, to);
    made.request.tools = shared_->tools;
    made.request.sandbox = shared_->setting.sandbox;
    made.request.cache = evaluate::Cache(shared_->cache.path());
    made.request.configuration = shared_->setting.configuration;
    made.session = shared_->gpus.request;
    made.iterations = 3;
    made.skip_check = true;
    made.repeat = "cuco evaluate it";
    return made;
  }
  evaluate::Verdict judge(const GpuRequest& request) {
    Session session = shared_->gpus.open().value();
    Result<evaluate::Verdict> verdict = evaluate(request, session, shared_->toolchain);
    EXPECT_TRUE(verdict.ok()) << verdict.error().message;
    return verdict ? *verdict : evaluate::Verdict{};
  }
};

TEST_F(GpuCascade, RightCandidateIsTimedAgainstTheBaseline) {
  evaluate::Verdict verdict = judge(request("values[i] *= 2", "values[i] += values[i]"));
  EXPECT_TRUE(verdict.passed()) << to_text(verdict);
  EXPECT_EQ(verdict.reached, evaluate::Level::Timed);
  EXPECT_EQ(verdict.executor, "mpi");
  EXPECT_TRUE(verdict.baseline_us);
  ASSERT_TRUE(verdict.measurement && verdict.measurement->baseline);
  EXPECT_GT(verdict.timing->bound_compute_us, 0);
  EXPECT_NE(verdict.measurement->machine.find("2 ranks on 2 GPUs, GPU of host memory"), std::string::npos);
}

TEST_F(GpuCascade, WrongCandidateIsNotTimed) {
  evaluate::Verdict verdict = judge(request("values[i] *= 2", "values[i] *= 3"));
  ASSERT_FALSE(verdict.passed());
  EXPECT_EQ(verdict.findings[0].kind, "wrong_result");
  EXPECT_EQ(verdict.findings[0].repeat, "cuco evaluate it");
  EXPECT_FALSE(verdict.timing);
}

TEST_F(GpuCascade, CandidateThatDoesNotBuildNamesTheFileAndLine) {
  evaluate::Verdict verdict = judge(request("values[i] *= 2", "values[i] *= two"));
  ASSERT_FALSE(verdict.passed());
  EXPECT_EQ(verdict.reached, evaluate::Level::Text);
  EXPECT_EQ(verdict.findings[0].kind, "nvcc");
  EXPECT_TRUE(verdict.findings[0].text.starts_with("sum.cu:")) << verdict.findings[0].text;
}

TEST_F(PlainGpuRun, ProgramWhoseRegionCannotBeMarkedIsRefusedWithTheReason) {
  evaluate::ProgramSetting setting = shared_->setting;
  setting.uses_harness = false;
  Result<Program> program = Program::make({{"empty.cu", "int main() { return 0; }\n"}}, setting, shared_->tools,
                                          shared_->toolchain, "sm_90", evaluate::Cache(shared_->cache.path()));
  ASSERT_FALSE(program.ok());
  EXPECT_TRUE(
      program.error().message.starts_with("the program cannot be timed on GPUs, because its region cannot be "
                                          "marked: "))
      << program.error().message;
}

}  // namespace
}  // namespace cuco::gpu
