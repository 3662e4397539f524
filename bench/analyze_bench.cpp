// How long `cuco analyze` takes: a program of 1,000 lines, and its growth from 1 to 64 sites.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/files.h"
#include "base/text.h"
#include "frontend/frontend.h"
#include "model/comm_graph.h"
#include "model/report.h"

namespace cuco {
namespace {

std::string prologue() {
  return R"(#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CUDA_CHECK(c) do { cudaError_t e = (c); if (e != cudaSuccess) { printf("%d\n", e); exit(1); } } while (0)
#define NCCL_CHECK(c) do { ncclResult_t r = (c); if (r != ncclSuccess) { printf("%d\n", r); exit(1); } } while (0)
)";
}

std::string kernel(int i) {
  return concat("__global__ void layer", i, "(const float* in, float* out, const float* weight, int n) {\n",
                "  __shared__ float tile[256];\n", "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n",
                "  tile[threadIdx.x] = i < n ? weight[i] : 0.f;\n", "  __syncthreads();\n", "  float sum = 0.f;\n",
                "  for (int k = 0; k < 256; ++k) sum += tile[k] * in[(i + k) % n];\n", "  if (i < n) out[i] = sum;\n",
                "}\n");
}

// One layer: a kernel that feeds a collective that feeds the next layer.
std::string layer(int i) {
  return concat("    layer", i, "<<<(n + 255) / 256, 256, 0, stream>>>(a, b, w", i, ", n);\n",
                "    NCCL_CHECK(ncclAllReduce(b, a, n, ncclFloat, ncclSum, comm, stream));\n");
}

std::string program_with(int sites, int lines_min) {
  std::string text = prologue();
  for (int i = 0; i < sites; ++i) text += kernel(i);
  text +=
      "int main(int argc, char** argv) {\n  MPI_Init(&argc, &argv);\n  int rank, ranks;\n"
      "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  MPI_Comm_size(MPI_COMM_WORLD, &ranks);\n"
      "  ncclUniqueId id;\n  if (rank == 0) NCCL_CHECK(ncclGetUniqueId(&id));\n"
      "  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);\n  ncclComm_t comm;\n"
      "  NCCL_CHECK(ncclCommInitRank(&comm, ranks, id, rank));\n  cudaStream_t stream;\n"
      "  CUDA_CHECK(cudaStreamCreate(&stream));\n  int n = atoi(argv[1]);\n  float *a, *b;\n"
      "  CUDA_CHECK(cudaMalloc(&a, n * sizeof(float)));\n  CUDA_CHECK(cudaMalloc(&b, n * sizeof(float)));\n";
  for (int i = 0; i < sites; ++i)
    text += concat("  float* w", i, ";\n  CUDA_CHECK(cudaMalloc(&w", i, ", n * sizeof(float)));\n");
  text += "  for (int iteration = 0; iteration < 10; ++iteration) {\n";
  for (int i = 0; i < sites; ++i) text += layer(i);
  text += "  }\n  CUDA_CHECK(cudaStreamSynchronize(stream));\n";
  for (auto lines = std::count(text.begin(), text.end(), '\n') + 3; lines < lines_min; ++lines)
    text += concat("  printf(\"line %d\\n\", ", lines, ");\n");
  return text + "  MPI_Finalize();\n  return 0;\n}\n";
}

void analyze(benchmark::State& state, const std::string& text) {
  std::filesystem::path path = std::filesystem::temp_directory_path() / concat("cuco_bench_", getpid(), ".cu");
  if (!write_file(path, text).ok()) return state.SkipWithError("cannot write the program");
  frontend::ParseRequest request;
  request.files = {path.string()};
  request.share = *share_folder();
  size_t sites = 0;
  for (auto _ : state) {
    Result<model::Program> program = frontend::read_program(request);
    if (!program) return state.SkipWithError(program.error().message.c_str());
    model::CommGraph graph = model::build_comm_graph(*program);
    benchmark::DoNotOptimize(model::report_text(*program, graph, false));
    sites = graph.sites.size();
  }
  state.counters["sites"] = static_cast<double>(sites);
  state.counters["lines"] = static_cast<double>(std::count(text.begin(), text.end(), '\n'));
  std::filesystem::remove(path);
}

void BM_Analyze1000Lines(benchmark::State& state) { analyze(state, program_with(16, 1000)); }
BENCHMARK(BM_Analyze1000Lines)->Unit(benchmark::kMillisecond);

void BM_AnalyzeSites(benchmark::State& state) { analyze(state, program_with(static_cast<int>(state.range(0)), 0)); }
BENCHMARK(BM_AnalyzeSites)->RangeMultiplier(4)->Range(1, 64)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cuco
