// How long an evaluation at full size takes, for every configuration of the workloads that is proved at smaller sizes:
// the baseline against a copy of itself that counts as another text. Builds, one schedule at the first proof size, both
// timed runs and both runs whose results are compared are in it, nvcc and cache are not. `cpu_s` is processor time of all
// processes, `peak_MiB` the largest of any up to here: one row a call, by --benchmark_filter, gives that row's own.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <set>

#include "base/files.h"
#include "evaluate/evaluate.h"
#include "evaluate/sizes/proof_sizes.h"

namespace cuco::evaluate {
namespace {

namespace fs = std::filesystem;

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

rusage used_by_children() {
  rusage used = {};
  getrusage(RUSAGE_CHILDREN, &used);
  return used;
}

EvaluationRequest request_for(const fs::path& folder, const Workload& workload, const Configuration& configuration) {
  EvaluationRequest request;
  request.configuration = configuration;
  for (const fs::path& file : workload.files)
    request.baseline.push_back({file.lexically_relative(folder).string(), *read_file(file)});
  request.candidate = request.baseline;
  request.candidate.front().text += "\nextern int nobody_uses_this;\n";
  request.rewritten = true;
  request.flags.include_folders = {folder};
  request.sandbox = request.with_nvcc = false;  // Processes in a sandbox are not this process's to account for.
  request.limits.processor_s = 400;
  request.tools = find_tools(share_folder().value(), RealEnvironment()).value();
  // What makes the evaluation one by block sampling; without them the case itself would be executed whole.
  for (const std::string& size : configuration.proofs) request.proofs.push_back(parse_proof_size(size, request).value());
  request.seed_count = 1;
  return request;
}

void full_size(benchmark::State& state, const fs::path& folder, const std::string& name) {
  Result<Workload> workload = load_workload(folder);
  EvaluationRequest request = request_for(folder, *workload, find_configuration(*workload, name).value());
  double before = seconds(used_by_children().ru_utime) + seconds(used_by_children().ru_stime);
  for (auto _ : state) {
    Result<Verdict> verdict = evaluate(request);
    if (!verdict) return state.SkipWithError(verdict.error().message.c_str());
    if (!verdict->passed()) return state.SkipWithError(to_text(*verdict).c_str());
    for (const std::string& note : verdict->notes)
      if (note.find("at full size") != note.npos) state.SetLabel(note);
  }
  rusage used = used_by_children();
  state.counters["cpu_s"] = seconds(used.ru_utime) + seconds(used.ru_stime) - before;
  state.counters["peak_MiB"] = static_cast<double>(used.ru_maxrss) / 1024;
}

void register_all() {
  std::error_code failure;
  std::set<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(CUCO_SOURCE_DIR) / "workloads", failure))
    folders.insert(entry.path());
  for (const fs::path& folder : folders) {
    Result<Workload> workload = load_workload(folder);
    if (!workload) continue;
    for (const Configuration& each : workload->configurations)
      if (!each.proofs.empty())
        benchmark::RegisterBenchmark((workload->name + "/" + each.name).c_str(), full_size, folder, each.name)
            ->Unit(benchmark::kSecond)
            ->Iterations(1)
            ->UseRealTime();
  }
}

}  // namespace
}  // namespace cuco::evaluate

int main(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  cuco::evaluate::register_all();
  benchmark::RunSpecifiedBenchmarks();
}
