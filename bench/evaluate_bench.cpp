// How long an evaluation takes: baselines in full (build, 4 seeds, time; two jobs), a small one and the first
// configuration of every workload, and the same from the cache.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <set>

#include "base/files.h"
#include "base/scratch_folder.h"
#include "evaluate/evaluate.h"

namespace cuco::evaluate {
namespace {

namespace fs = std::filesystem;

EvaluationRequest small_request(const fs::path& cache) {
  EvaluationRequest request;
  request.configuration.profile = "a100x4-nvlink";
  request.configuration.rank_count = 2;
  request.baseline = {{"program.cu", *read_file(fs::path(CUCO_SOURCE_DIR) / "tests/cheats/baseline.cu")}};
  request.job_count = 2;
  request.cache = Cache(cache);
  request.tools = find_tools(share_folder().value(), RealEnvironment()).value();
  return request;
}

void evaluate_or_skip(benchmark::State& state, const EvaluationRequest& request) {
  Result<Verdict> verdict = evaluate(request);
  if (!verdict) state.SkipWithError(verdict.error().message.c_str());
  if (verdict && !verdict->passed()) state.SkipWithError(to_text(*verdict).c_str());
}

void small_baseline(benchmark::State& state) {
  for (auto _ : state) evaluate_or_skip(state, small_request({}));
}
BENCHMARK(small_baseline)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();

void cached(benchmark::State& state) {
  ScratchFolder cache = ScratchFolder::make("cuco-bench").value();
  evaluate_or_skip(state, small_request(cache.path()));
  for (auto _ : state) evaluate_or_skip(state, small_request(cache.path()));
}
BENCHMARK(cached)->Unit(benchmark::kMillisecond)->Iterations(20)->UseRealTime();

void first_size(benchmark::State& state, const fs::path& folder, const std::string& name) {
  Result<Workload> workload = load_workload(folder);
  EvaluationRequest request = small_request({});
  request.configuration = find_configuration(*workload, name).value();
  request.baseline.clear();
  for (const fs::path& file : workload->files)
    request.baseline.push_back({file.lexically_relative(folder).string(), *read_file(file)});
  request.flags.include_folders = {folder};
  for (auto _ : state) evaluate_or_skip(state, request);
}

// The first configuration of every workload folder that a scan finds.
void register_workload(const fs::path& folder) {
  Result<Workload> workload = load_workload(folder);
  if (!workload) return;
  const std::string& name = workload->configurations.front().name;
  benchmark::RegisterBenchmark(("workload/" + workload->name + "/" + name).c_str(), first_size, folder, name)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->UseRealTime();
}

void register_workloads() {
  std::error_code failure;
  std::set<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(CUCO_SOURCE_DIR) / "workloads", failure))
    folders.insert(entry.path());
  for (const fs::path& folder : folders) register_workload(folder);
}

}  // namespace
}  // namespace cuco::evaluate

int main(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  cuco::evaluate::register_workloads();
  benchmark::RunSpecifiedBenchmarks();
}
