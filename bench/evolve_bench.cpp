// What the search itself costs: sampling parents and inspirations, and a whole turn without build, run and model, with
// 100 to 10,000 candidates in population and store.
#include <benchmark/benchmark.h>

#include "base/scratch_folder.h"
#include "base/text.h"
#include "evolve/course.h"
#include "evolve/members.h"
#include "store/store.h"

namespace cuco::evolve {
namespace {

constexpr int kStatements = 800;  // A program of about 40 KB, as a rewritten workload has.

evaluate::Verdict timed(double us) {
  evaluate::Verdict verdict;
  verdict.reached = evaluate::Level::Timed;
  verdict.timing.emplace();
  verdict.timing->median_us = us;
  verdict.timing->bound_compute_us = 1;
  return verdict;
}

std::vector<SourceFile> program(uint64_t number, int statements) {
  std::string text = "__global__ void kernel(float* a) {\n";
  for (int i = 0; i < statements; ++i) text += concat("  a[", i, "] = a[", i * 7 % 31, "] + other(a, ", i, ");\n");
  return {{"program.cu", concat(text, "  a[0] = ", number, ";\n}\n")}};
}

std::string plan_text(uint64_t number) {
  static const std::vector<std::string> kDirectives = {"gin/split/peer-signal/cta/whole",
                                                       "gin/stream/peer-signal/multi-cta/whole",
                                                       "lsa/split/flag/cta/64KiB",
                                                       "gin/deferred/barrier/cta/whole",
                                                       "hybrid/stream/chunk-signal/cta/1MiB",
                                                       "host/deferred/stream-event/cta/whole"};
  return concat("s1 ", kDirectives[number % 6], "\ns2 ", kDirectives[number / 6 % 6],
                "\nschedule ctas=", 1u << (number / 36 % 6), "\n");
}

store::Candidate candidate(store::Id id, int statements) {
  store::Candidate candidate;
  candidate.id = id;
  candidate.parent = id == 1 ? store::kNoId : 1 + (id * 7) % (id - 1);
  candidate.island = static_cast<uint32_t>(id % 2);
  candidate.generation = id == 1 ? 0 : static_cast<uint32_t>(id / 2 + 1);
  candidate.proposer = id == 1 ? "baseline" : "rules";
  candidate.intent = "Changes placement to stream at s1, because it may pay.";
  candidate.plan = plan_text(static_cast<uint64_t>(id));
  candidate.files = program(static_cast<uint64_t>(id), statements);
  return candidate;
}

double time_of(store::Id id) { return 1000 + static_cast<double>(id * 7919 % 10007); }

std::vector<store::Step> campaign_of(store::Id count) {
  std::vector<store::Step> steps;
  for (store::Id id = 1; id <= count; ++id) {
    store::Step step;
    step.number = static_cast<uint64_t>(id);
    step.candidates = {candidate(id, 4)};
    step.judgements = {judgement_of(id, Depth::Screen, timed(time_of(id)))};
    step.state = R"({"random": 1, "silenced": [], "proposers": [""]})";
    steps.push_back(std::move(step));
  }
  return steps;
}

class NumberedProposer : public Proposer {
 public:
  std::string name() const override { return "rules"; }
  Result<std::optional<Proposal>> propose(const Assignment& assignment, Random&) override {
    uint64_t number = assignment.members->size() + 1;
    Proposal proposal;
    proposal.intent = "Changes placement to stream at s1, because it may pay.";
    proposal.files = program(number, kStatements);
    proposal.plan = space::parse_plan(plan_text(number), "").value();
    return std::optional(std::move(proposal));
  }
};

class FixedEvaluator : public Evaluator {
 public:
  Result<std::vector<evaluate::Verdict>> evaluate(const std::vector<Task>& tasks) override {
    std::vector<evaluate::Verdict> verdicts;
    for (const Task& task : tasks) verdicts.push_back(timed(time_of(task.candidate->id)));
    return verdicts;
  }
};

struct Campaign {
  explicit Campaign(store::Id count) : steps(campaign_of(count)) {
    input.options.budget_evaluations = 1'000'000;
    input.options.plateau = 0;
    input.options.batch = 1;
    input.proposers.push_back({std::make_unique<NumberedProposer>(), {}});
    input.evaluator = &evaluator;
  }

  std::vector<store::Step> steps;
  FixedEvaluator evaluator;
  SearchInput input;
};

void parents_and_inspirations(benchmark::State& state) {
  Campaign campaign(state.range(0));
  Course course(campaign.input);
  if (!course.restore(campaign.steps)) return state.SkipWithError("the campaign cannot be restored");
  const Population& population = course.ledger().population();
  Random random(1);
  for (auto _ : state) {
    Parents parents = population.select(0, Selection::Weighted, 3, random);
    benchmark::DoNotOptimize(population.top(0, 3, parents.first));
    benchmark::DoNotOptimize(population.archive().sample(3, parents.first, random));
    benchmark::DoNotOptimize(population.recent_failures(3));
  }
}
BENCHMARK(parents_and_inspirations)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMicrosecond);

// One candidate: assignment, novelty, verdict to text and back, commit.
void turn_with_store(benchmark::State& state) {
  ScratchFolder folder = ScratchFolder::make("cuco-bench").value();
  Result<store::Store> store = store::Store::create(folder.path() / "campaign.sqlite", {"bench", "", "", "{}"});
  if (!store) return state.SkipWithError(store.error().message.c_str());
  Campaign campaign(state.range(0));
  for (const store::Step& step : campaign.steps)
    if (Status done = store->commit(step); !done) return state.SkipWithError(done.error().message.c_str());
  Course course(campaign.input);
  if (!course.restore(campaign.steps)) return state.SkipWithError("the campaign cannot be restored");
  for (auto _ : state) {
    Result<std::optional<store::Step>> step = course.next();
    if (!step || !*step || !store->commit(**step)) return state.SkipWithError("a turn failed");
    course.add(**step);
  }
}
BENCHMARK(turn_with_store)
    ->Arg(100)
    ->Arg(1000)
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(100)
    ->UseRealTime();

}  // namespace
}  // namespace cuco::evolve
