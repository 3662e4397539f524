// What a store costs the search, by the number of candidates in it: a step of two candidates, a look at one, the list
// of all, the overview; and a line of the log. Texts have 16 KiB, of which candidates share nothing.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>

#include "base/scratch_folder.h"
#include "store/log.h"
#include "store/store.h"
#include "testing/store_steps.h"

namespace cuco::store {
namespace {

constexpr size_t kTextLines = 600;

// Filled once for each size, since filling takes longer than measuring.
class FilledStore {
 public:
  explicit FilledStore(int64_t candidates)
      : store_(Store::create(folder_.path() / "campaign.sqlite", testing::make_campaign()).value()) {
    while (2 * steps_ < candidates) add_step();
  }
  void add_step() { store_.commit(testing::make_step(++steps_, 1, kTextLines)).value(); }
  Step next_step() const { return testing::make_step(steps_ + 1, 1, kTextLines); }
  void commit(const Step& step) {
    store_.commit(step).value();
    ++steps_;
  }
  const Store& store() const { return store_; }
  Id candidates() const { return 2 * steps_; }

 private:
  ScratchFolder folder_ = ScratchFolder::make("cuco-bench").value();
  Store store_;
  int64_t steps_ = 0;
};

FilledStore& filled(int64_t candidates) {
  static std::map<int64_t, std::unique_ptr<FilledStore>> stores;
  std::unique_ptr<FilledStore>& store = stores[candidates];
  if (!store) store = std::make_unique<FilledStore>(candidates);
  return *store;
}

void commit_step(benchmark::State& state) {
  FilledStore& filled_store = filled(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    Step step = filled_store.next_step();
    state.ResumeTiming();
    filled_store.commit(step);
  }
}
BENCHMARK(commit_step)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMicrosecond)->Iterations(40)->UseRealTime();

void look_up_candidate(benchmark::State& state) {
  FilledStore& filled_store = filled(state.range(0));
  Random random(5);
  for (auto _ : state) {
    Id id = 1 + static_cast<Id>(random.below(static_cast<uint64_t>(filled_store.candidates())));
    benchmark::DoNotOptimize(filled_store.store().candidate(id).value());
    benchmark::DoNotOptimize(filled_store.store().judgements(id).value());
  }
}
BENCHMARK(look_up_candidate)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMicrosecond)->UseRealTime();

// Time a candidate, since the list grows with them.
void list_summaries(benchmark::State& state) {
  FilledStore& filled_store = filled(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(filled_store.store().summaries().value());
  state.SetItemsProcessed(state.iterations() * filled_store.candidates());
}
BENCHMARK(list_summaries)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMicrosecond)->UseRealTime();

void overview(benchmark::State& state) {
  FilledStore& filled_store = filled(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(filled_store.store().overview().value());
}
BENCHMARK(overview)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMicrosecond)->UseRealTime();

void append_to_log(benchmark::State& state) {
  ScratchFolder folder = ScratchFolder::make("cuco-bench").value();
  Log log = Log::open(folder.path() / "log.jsonl").value();
  std::string content(4000, 'v');
  int64_t key = 0;
  while (key < state.range(0)) log.append("verdict", std::to_string(key++), content).value();
  for (auto _ : state) log.append("verdict", std::to_string(key++), content).value();
}
BENCHMARK(append_to_log)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond)->Iterations(100)->UseRealTime();

}  // namespace
}  // namespace cuco::store
