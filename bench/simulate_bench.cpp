// How long the virtual cluster takes: programs of bench/simulate, and the build of a program of 500 lines. The time of
// a run is the processor time of its child process, which other work on the machine changes little.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/files.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "evaluate/workload.h"
#include "lowering/lower.h"
#include "vcluster/simulate.h"

namespace cuco {
namespace {

double processor_seconds_of_children() {
  rusage usage = {};
  getrusage(RUSAGE_CHILDREN, &usage);
  auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Forwards, and adds up the processor time of the children of one name.
class TimingRunner : public ProcessRunner {
 public:
  explicit TimingRunner(std::string timed) : timed_(std::move(timed)) {}

  Result<ProcessOutput> run(const std::vector<std::string>& arguments, int timeout_ms,
                            const std::string& input = "") override {
    double before = processor_seconds_of_children();
    Result<ProcessOutput> output = real_.run(arguments, timeout_ms, input);
    if (arguments.front() == timed_) seconds_ += processor_seconds_of_children() - before;
    return output;
  }

  double seconds() const { return seconds_; }

 private:
  RealProcessRunner real_;
  std::string timed_;
  double seconds_ = 0;
};

struct Case {
  std::string file;  // In bench/simulate, or a path.
  std::vector<std::string> arguments = {};
  uint32_t ranks = 1;
  uint32_t nodes = 1;
  std::vector<std::string> definitions = {};
  bool check = false;
  bool sample = false;
  bool accesses = false;  // Which bytes blocks touch is kept, as cuco trace does.
};

vcluster::SimulationRequest request_for(const Case& what) {
  std::filesystem::path sources = CUCO_SOURCE_DIR;
  vcluster::SimulationRequest request;
  request.build.files = {(sources / "bench/simulate" / what.file).string()};
  request.build.flags.include_folders = {(sources / "tests/simulate").string()};
  request.build.share = *share_folder();
  request.build.cost_plugin = *vcluster::default_cost_plugin();
  request.build.flags.definitions = what.definitions;
  if (what.check || what.accesses) request.build.check_plugin = *vcluster::default_check_plugin();
  request.runner = *vcluster::default_runner();
  request.arguments = what.arguments;
  request.rank_count = what.ranks;
  request.node_count = what.nodes;
  request.sample = what.sample;
  request.profile = *share_folder() / "profiles/a100-2node-roce.toml";
  return request;
}

// Seconds that the run took; an error when the program did not do what it should.
Result<double> run_once(const Case& what) {
  vcluster::SimulationRequest request = request_for(what);
  Result<ScratchFolder> scratch = ScratchFolder::make("cuco-bench");
  if (!scratch) return scratch.error();
  request.build.folder = scratch->path();
  if (what.accesses) request.accesses = scratch->path() / "accesses";
  request.only_accesses = what.accesses && !what.check;
  TimingRunner processes(request.runner.string());
  Result<vcluster::SimulationReport> report = vcluster::simulate(request, lowering::lower_to_cpp, processes);
  if (!report) return report.error();
  const vcluster::ScheduleResult& schedule = report->schedules.front();
  if (schedule.report.verdict != "ok") return Error{concat(schedule.report.verdict, ": ", schedule.output)};
  return processes.seconds();
}

void simulate_case(benchmark::State& state, const Case& what) {
  for (auto _ : state) {
    Result<double> seconds = run_once(what);
    if (!seconds) return state.SkipWithError(seconds.error().message.c_str());
    state.SetIterationTime(*seconds);
  }
}

std::string program_of_500_lines() {
  std::string text = "#include <cuda_runtime.h>\n#include <nccl.h>\n#include <mpi.h>\n#include <cstdio>\n";
  for (int i = 0; i < 40; i++)
    text += concat("__global__ void layer", i, "(const float* in, float* out, int n) {\n",
                   "  __shared__ float tile[256];\n", "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n",
                   "  tile[threadIdx.x] = i < n ? in[i] : 0.f;\n", "  __syncthreads();\n", "  float sum = 0.f;\n",
                   "  for (int k = 0; k < 256; ++k) {\n", "    sum += tile[k];\n", "  }\n",
                   "  if (i < n) out[i] = sum;\n", "}\n");
  text += "int main(int argc, char** argv) {\n  MPI_Init(&argc, &argv);\n  float* data;\n  cudaMalloc(&data, 1024);\n";
  for (int i = 0; i < 40; i++) text += concat("  layer", i, "<<<1, 256>>>(data, data, 256);\n");
  return text + "  cudaDeviceSynchronize();\n  cudaFree(data);\n  MPI_Finalize();\n}\n";
}

void build_500_lines(benchmark::State& state) {
  vcluster::SimulationRequest request = request_for({""});
  Result<ScratchFolder> scratch = ScratchFolder::make("cuco-bench");
  if (!scratch) return state.SkipWithError(scratch.error().message.c_str());
  request.build.folder = scratch->path();
  request.build.files = {(scratch->path() / "program.cu").string()};
  if (!write_file(request.build.files[0], program_of_500_lines()).ok()) return state.SkipWithError("cannot write");
  RealProcessRunner processes;
  for (auto _ : state) {
    Result<vcluster::Image> image = vcluster::build_image(request.build, lowering::lower_to_cpp, processes);
    if (!image) return state.SkipWithError(image.error().message.c_str());
  }
}
BENCHMARK(build_500_lines)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(3);

// The plain scalar code that the checking build is compared with: the same product on the host, one element at a time.
[[gnu::noinline, gnu::optimize("no-tree-vectorize")]] float plain_product(const std::vector<float>& a,
                                                                          const std::vector<float>& b,
                                                                          std::vector<float>& c, size_t size) {
  for (size_t row = 0; row < size; row++)
    for (size_t column = 0; column < size; column++) {
      float sum = 0;
      for (size_t k = 0; k < size; k++) sum += a[row * size + k] * b[k * size + column];
      c[row * size + column] = sum;
    }
  return c[size + 1];
}

double plain_product_seconds(size_t size) {
  std::vector<float> a(size * size, 1.5f), b(size * size, 2.5f), c(size * size);
  rusage before = {}, after = {};
  getrusage(RUSAGE_SELF, &before);
  benchmark::DoNotOptimize(plain_product(a, b, c, size));
  getrusage(RUSAGE_SELF, &after);
  return static_cast<double>(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(after.ru_utime.tv_usec - before.ru_utime.tv_usec);
}

// The checking build, beside plain scalar code of the same product.
void check_gemm(benchmark::State& state, const char* kernel) {
  constexpr size_t kSize = 256;
  double checked = 0, plain = 0;
  for (auto _ : state) {
    Result<double> seconds = run_once({"gemm.cu", {kernel}, 1, 1, {concat("SIZE=", kSize)}, true});
    if (!seconds) return state.SkipWithError(seconds.error().message.c_str());
    state.SetIterationTime(*seconds);
    checked += *seconds, plain += plain_product_seconds(kSize);
  }
  state.counters["plain_ms"] = 1e3 * plain / static_cast<double>(state.iterations());
  state.counters["ratio"] = checked / plain;
}
BENCHMARK_CAPTURE(check_gemm, naive, "0")->UseManualTime()->Iterations(3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(check_gemm, tiled, "1")->UseManualTime()->Iterations(3)->Unit(benchmark::kMillisecond);

// A traced run beside the plain one.
void trace_case(benchmark::State& state, Case what) {
  double traced = 0, plain = 0;
  for (auto _ : state) {
    for (bool accesses : {false, true}) {
      what.accesses = accesses;
      Result<double> seconds = run_once(what);
      if (!seconds) return state.SkipWithError(seconds.error().message.c_str());
      (accesses ? traced : plain) += *seconds;
      if (accesses) state.SetIterationTime(*seconds);
    }
  }
  state.counters["plain_ms"] = 1e3 * plain / static_cast<double>(state.iterations());
  state.counters["ratio"] = traced / plain;
}

void add_traced(const std::string& name, const Case& what) {
  benchmark::RegisterBenchmark(name.c_str(), [what](benchmark::State& state) { trace_case(state, what); })
      ->UseManualTime()
      ->Iterations(3)
      ->Unit(benchmark::kMillisecond);
}

void add(const std::string& name, const Case& what) {
  benchmark::RegisterBenchmark(name.c_str(), [what](benchmark::State& state) { simulate_case(state, what); })
      ->UseManualTime()
      ->Iterations(3)
      ->Unit(benchmark::kMillisecond);
}

// At the first configuration of every workload folder that a scan finds.
void add_traced_workload(const std::filesystem::path& folder) {
  Result<evaluate::Workload> workload = evaluate::load_workload(folder);
  if (!workload || workload->files.size() != 1) return;
  const evaluate::Configuration& first = workload->configurations.front();
  Case what{workload->files[0].string(), {}, first.rank_count, first.node_count};
  for (const auto& [name, value] : first.parameters) what.arguments.push_back(concat(name, "=", value));
  add_traced(concat("trace_workload/", workload->name, "/", first.name), what);
}

void add_traced_workloads() {
  std::set<std::filesystem::path> folders;
  std::error_code failure;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(CUCO_SOURCE_DIR) / "workloads", failure))
    folders.insert(entry.path());
  for (const std::filesystem::path& folder : folders) add_traced_workload(folder);
}

void add_all() {
  add("gemm_512_naive", {"gemm.cu", {"0"}});
  add("gemm_512_tiled", {"gemm.cu", {"1"}});
  add("million_threads_store", {"threads.cu", {"0"}});
  add("million_threads_barrier", {"threads.cu", {"1"}});
  add("million_threads_16_shuffles", {"threads.cu", {"2"}});
  add("gin_alltoall_64_ranks_8_nodes", {"gin_alltoall.cu", {}, 64, 8});
  for (uint32_t ranks : {4, 8, 16}) add(concat("lsa_allreduce_", ranks, "_ranks"), {"lsa_allreduce.cu", {}, ranks});
  add("check_gin_alltoall_64_ranks_8_nodes", {"gin_alltoall.cu", {}, 64, 8, {}, true});
  add("sampled_gemm_allgather_8192_2_ranks",
      {"../../tests/simulate/timing/gemm_allgather.cu", {"8192"}, 2, 1, {}, false, true});
  add_traced("trace_gemm_512_naive", {"gemm.cu", {"0"}});
  add_traced("trace_gemm_512_tiled", {"gemm.cu", {"1"}});
  add_traced("trace_lsa_allreduce_4_ranks", {"lsa_allreduce.cu", {}, 4});
  add_traced("trace_million_threads_store", {"threads.cu", {"0"}});
  add_traced("trace_gemm_allgather_512_2_ranks", {"../../tests/simulate/timing/gemm_allgather.cu", {"512"}, 2});
  add_traced_workloads();
}

}  // namespace
}  // namespace cuco

int main(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  cuco::add_all();
  benchmark::RunSpecifiedBenchmarks();
}
