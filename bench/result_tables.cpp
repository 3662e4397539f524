// The tables of docs/results.md, each by one command, through the commands that a user has:
//
//   paper_table [--evals N] [--out DIR] [WORKLOAD ...]   rows with published times: search on the twin, then both
//                                                        programs at full size on the virtual clock
//   twin_table  [--evals N] [--out DIR] [WORKLOAD ...]   every twin: baseline, fast path, best, share hidden
//
// Which of the two it is follows from the name it is called by. Rows come from workloads/*/workload.toml. A run folder
// that is there already is resumed, so a table that was interrupted goes on where it was.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/process.h"
#include "base/text.h"
#include "evaluate/workload.h"

namespace {

namespace fs = std::filesystem;
using cuco::concat;
using cuco::evaluate::Configuration;
using cuco::evaluate::Workload;
using nlohmann::json;

struct Options {
  fs::path cuco;
  std::string evaluations = "60";
  fs::path out = "runs/tables";
  std::vector<std::string> workloads;  // Empty: all.
};

// The last JSON object that the command printed; null, with the command's words on stderr, when there is none.
json run(const std::vector<std::string>& arguments) {
  cuco::RealProcessRunner runner;
  cuco::Result<cuco::ProcessOutput> output = runner.run(arguments, 3'600'000);
  std::string text = output ? output->text : output.error().message;
  size_t begin = text.find('{');
  json parsed = begin == text.npos ? json() : json::parse(text.substr(begin), nullptr, false);
  if (parsed.is_object()) return parsed;
  std::fprintf(stderr, "%s: %s\n", cuco::join(arguments, " ").c_str(), text.c_str());
  return {};
}

json search_on(const Options& options, const Workload& workload, const Configuration& twin) {
  fs::path folder = options.out / concat(workload.name, "-", twin.name);
  if (fs::exists(folder / "campaign.sqlite")) return run({options.cuco.string(), "resume", folder.string(), "--json"});
  return run({options.cuco.string(), "optimize", workload.folder.string(), "--config", twin.name, "--budget-evals",
              options.evaluations, "--out", folder.string(), "--json"});
}

double number(const json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_number() ? object[key].get<double>() : 0;
}

void print_twin_row(const Options& options, const Workload& workload, const Configuration& twin) {
  json found = search_on(options, workload, twin);
  if (!found.is_object()) return;
  double host = number(found["baseline"], "time_us"), best = number(found["best"], "time_us");
  double bound = number(found["baseline"], "bound_us");
  std::string plan = found["best"].value("plan", "");
  std::printf("| %s %s | %.0f | %.0f | %.0f | %.3fx | %.0f | %.0f %% | %u | %s |\n", workload.name.c_str(),
              twin.twin_of.c_str(), host, number(found["fast_path"], "time_us"), best, host / best, bound,
              100 * (host - best) / (host - bound), found.value("evaluations", 0u),
              cuco::replace_all(std::string(cuco::trim(plan)), "\n", "; ").c_str());
  std::fflush(stdout);
}

const Configuration* twin_of(const Workload& workload, const Configuration& full) {
  auto found = std::find_if(workload.configurations.begin(), workload.configurations.end(),
                            [&](const Configuration& each) { return each.twin_of == full.name; });
  return found == workload.configurations.end() ? nullptr : &*found;
}

// The plan that won on the twin, written again for the full size: where a cut is traced it holds for one shape.
json judge_at_full_size(const Options& options, const Workload& workload, const Configuration& full,
                        const std::string& plan) {
  fs::path stem = options.out / concat(workload.name, "-", full.name), plan_file = stem, program = stem;
  if (!cuco::write_file(plan_file += ".plan", plan)) return {};
  program += "-at-full-size";
  fs::path verdict = program;
  fs::remove(verdict += ".verdict.json");
  cuco::RealProcessRunner runner;
  cuco::Result<cuco::ProcessOutput> output =
      runner.run({options.cuco.string(), "transform", workload.folder.string(), "--config", full.name, "--plan",
                  plan_file.string(), "--no-nvcc", "--limit", "300", "-o", program.string()},
                 3'600'000);
  cuco::Result<std::string> text = cuco::read_file(verdict);
  if (text) return json::parse(*text, nullptr, false);
  std::fprintf(stderr, "%s\n", output ? output->text.c_str() : output.error().message.c_str());
  return {};
}

void print_paper_row(const Options& options, const Workload& workload, const Configuration& full) {
  const Configuration* twin = twin_of(workload, full);
  json found = twin == nullptr ? json() : search_on(options, workload, *twin);
  if (!found.is_object()) return;
  json verdict = judge_at_full_size(options, workload, full, found["best"].value("plan", ""));
  if (!verdict.is_object()) return;
  double host = number(verdict, "baseline_us") / 1000, ours = number(verdict["timing"], "median_us") / 1000;
  double bound = number(verdict, "baseline_bound_us") / 1000;
  std::printf("| %s %s | %.2f | %.2f | %.3fx | %.2f | %.2f | %.3fx | %.2f | %.0f %% |\n", workload.name.c_str(),
              full.name.c_str(), full.published->host_ms, full.published->best_ms,
              full.published->host_ms / full.published->best_ms, host, ours, host / ours, bound,
              100 * (host - ours) / (host - bound));
  std::fflush(stdout);
}

bool is_wanted(const Options& options, const std::string& name) {
  return options.workloads.empty() ||
         std::find(options.workloads.begin(), options.workloads.end(), name) != options.workloads.end();
}

std::vector<Workload> load_all(const Options& options) {
  std::vector<Workload> workloads;
  for (const fs::directory_entry& entry : fs::directory_iterator("workloads")) {
    if (!fs::exists(entry.path() / "workload.toml") || !is_wanted(options, entry.path().filename().string())) continue;
    cuco::Result<Workload> workload = cuco::evaluate::load_workload(entry.path());
    if (!workload) std::fprintf(stderr, "%s\n", workload.error().message.c_str());
    if (workload) workloads.push_back(*workload);
  }
  std::sort(workloads.begin(), workloads.end(), [](const Workload& a, const Workload& b) { return a.name < b.name; });
  return workloads;
}

Options read_options(int argc, char** argv) {
  Options options;
  options.cuco = fs::read_symlink("/proc/self/exe").parent_path() / "cuco";
  for (int i = 1; i < argc; i++) {
    std::string argument = argv[i];
    if (argument == "--evals" && i + 1 < argc)
      options.evaluations = argv[++i];
    else if (argument == "--out" && i + 1 < argc)
      options.out = argv[++i];
    else
      options.workloads.push_back(argument);
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  if (!fs::is_directory("workloads")) {
    std::fprintf(stderr, "there is no folder workloads here; run this from the project's root\n");
    return 2;
  }
  Options options = read_options(argc, argv);
  fs::create_directories(options.out);
  bool paper = fs::path(argv[0]).filename() == "paper_table";
  std::puts(paper ? "| row | published host ms | published best ms | | host ms | best ms | | bound ms | hidden |\n"
                    "|---|---|---|---|---|---|---|---|---|"
                  : "| twin | host us | fast path us | best us | | bound us | hidden | evaluations | plan |\n"
                    "|---|---|---|---|---|---|---|---|---|");
  for (const Workload& workload : load_all(options))
    for (const Configuration& each : workload.configurations) {
      if (paper && each.published) print_paper_row(options, workload, each);
      if (!paper && each.purpose == cuco::evaluate::Purpose::Twin) print_twin_row(options, workload, each);
    }
  return 0;
}
