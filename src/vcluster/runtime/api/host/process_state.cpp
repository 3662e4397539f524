#include "vcluster/runtime/api/host/process_state.h"

#include <getopt.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <iostream>
#include <vector>

#include "base/text.h"
#include "vcluster/runtime/engine/world.h"

namespace cuco::vcluster {

namespace {

Process* entered = nullptr;
std::string current_locale = "C";
std::string run_folder, current_folder;

std::array<std::ios*, 4> streams() { return {&std::cout, &std::cerr, &std::clog, &std::cin}; }

StreamState state_of(const std::ios& stream) {
  return {stream.flags(), stream.precision(), stream.width(), stream.fill(), stream.rdstate(), stream.rdbuf()};
}

void put_back(const StreamState& state, std::ios& stream) {
  stream.flags(state.flags);
  stream.precision(state.precision);
  stream.width(state.width);
  stream.fill(state.fill);
  if (stream.rdbuf() != state.buffer) stream.rdbuf(state.buffer);
  if (stream.rdstate() != state.state) stream.clear(state.state);
}

void keep(ProcessState& state) {
  state.options = {optarg, optind, opterr, optopt};
  state.environment = environ;
  state.output = stdout, state.errors = stderr;
  for (size_t i = 0; i < streams().size(); i++) state.streams[i] = state_of(*streams()[i]);
}

void install(const ProcessState& state) {
  optarg = state.options.argument, optind = state.options.index;
  opterr = state.options.errors, optopt = state.options.option;
  environ = state.environment;
  stdout = state.output, stderr = state.errors;
  for (size_t i = 0; i < streams().size(); i++) put_back(state.streams[i], *streams()[i]);
  if (state.locale != current_locale) current_locale = std::setlocale(LC_ALL, state.locale.c_str()) ? state.locale : "";
  const std::string& folder = state.folder.empty() ? run_folder : state.folder;
  if (folder == current_folder) return;
  std::error_code failure;
  std::filesystem::current_path(folder, failure);
  current_folder = failure ? "" : folder;
}

using Words = std::vector<std::string>;

// As Open MPI, MPICH, Slurm and torchrun tell a process about itself.
Words launcher_words(const Process& process) {
  const RunOptions& options = world->options;
  uint32_t ranks = options.rank_count, nodes = options.node_count, on_node = ranks / nodes;
  auto rank = process.rank, local = process.local_rank, node = process.node;
  Words words;
  auto set = [&](std::initializer_list<const char*> names, auto value) {
    for (const char* name : names) words.push_back(concat(name, "=", value));
  };
  set({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID", "RANK"}, rank);
  set({"OMPI_COMM_WORLD_SIZE", "OMPI_UNIVERSE_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS", "SLURM_NPROCS",
       "WORLD_SIZE"},
      ranks);
  set({"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_NODE_RANK", "PMI_LOCAL_RANK", "MPI_LOCALRANKID",
       "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "LOCAL_RANK"},
      local);
  set({"OMPI_COMM_WORLD_LOCAL_SIZE", "PMI_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE",
       "SLURM_NTASKS_PER_NODE", "LOCAL_WORLD_SIZE"},
      on_node);
  set({"SLURM_NODEID"}, node);
  set({"SLURM_NNODES", "SLURM_JOB_NUM_NODES"}, nodes);
  return words;
}

char** first_environment(Process& process) {
  Words words = world->options.ranks_are_processes ? launcher_words(process) : Words();
  static char** const of_run = environ;
  for (char** word = of_run; word && *word; word++) words.emplace_back(*word);
  auto** environment = static_cast<char**>(process.heap.allocate((words.size() + 1) * sizeof(char*)));
  for (size_t i = 0; i < words.size(); i++) environment[i] = copy_text(process.heap, words[i]);
  environment[words.size()] = nullptr;
  return environment;
}

void begin(Process& process) {
  static const ProcessState of_run = [] {
    ProcessState state;
    keep(state);
    return state;
  }();
  if (run_folder.empty()) run_folder = current_folder = std::filesystem::current_path().string();
  process.state = of_run;
  process.state.is_begun = true;
  process.state.environment = first_environment(process);
}

}  // namespace

void enter_process(Process& process) {
  if (entered == &process) return;
  // What was there before the first belongs to none.
  if (entered) keep(entered->state);
  if (!process.state.is_begun) begin(process);
  install(process.state);
  entered = &process;
}

void note_locale(const char* locale) { current_process().state.locale = current_locale = locale; }

void note_folder(const std::string& folder) { current_process().state.folder = current_folder = folder; }

bool is_option_variable(const void* address, size_t bytes) {
  auto holds = [&](const void* variable, size_t size) { return address == variable && bytes <= size; };
  return holds(&optarg, sizeof optarg) || holds(&optind, sizeof optind) || holds(&opterr, sizeof opterr) ||
         holds(&optopt, sizeof optopt);
}

}  // namespace cuco::vcluster
