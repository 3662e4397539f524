// The table of docs/results.md by one command, through the commands that a user has:
//
//   paper_table [--evals N] [--out DIR] [WORKLOAD ...]
//
// Every configuration that others published times of, and the same size in the other grade, is searched on the virtual
// cluster at that size. Rows come from workloads/*/workload.toml. A run folder that is there already is resumed, so a
// table that was interrupted goes on where it was.
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
  std::string evaluations = "24";
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

json search(const Options& options, const Workload& workload, const Configuration& row) {
  fs::path folder = options.out / concat(workload.name, "-", row.name);
  if (fs::exists(folder / "campaign.sqlite")) return run({options.cuco.string(), "resume", folder.string(), "--json"});
  return run({options.cuco.string(), "optimize", workload.folder.string(), "--config", row.name, "--budget-evals",
              options.evaluations, "--out", folder.string(), "--json"});
}

double number(const json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_number() ? object[key].get<double>() : 0;
}

// The same numbers, but for the grade.
bool is_same_size(const Configuration& a, const Configuration& b) {
  auto sizes = [](const Configuration& configuration) {
    auto parameters = configuration.parameters;
    std::erase_if(parameters, [](const auto& each) { return each.first == "tensor"; });
    return parameters;
  };
  return a.rank_count == b.rank_count && sizes(a) == sizes(b);
}

bool is_row(const Workload& workload, const Configuration& each) {
  return std::ranges::any_of(workload.configurations,
                             [&](const Configuration& other) { return other.published && is_same_size(each, other); });
}

std::string published_text(const Configuration& row) {
  if (!row.published) return "| | ";
  char text[64];
  std::snprintf(text, sizeof text, "%.2f | %.2f | %.3fx", row.published->host_ms, row.published->best_ms,
                row.published->host_ms / row.published->best_ms);
  return text;
}

void print_row(const Options& options, const Workload& workload, const Configuration& row) {
  json found = search(options, workload, row);
  if (!found.is_object()) return;
  double host = number(found["baseline"], "time_us") / 1000, best = number(found["best"], "time_us") / 1000;
  double bound = number(found["baseline"], "bound_us") / 1000;
  std::string plan = found["best"].value("plan", "");
  std::printf("| %s %s | %s | %.2f | %.2f | %.2f | %.3fx | %.2f | %.0f %% | %u | %s |\n", workload.name.c_str(),
              row.name.c_str(), published_text(row).c_str(), host, number(found["fast_path"], "time_us") / 1000, best,
              host / best, bound, 100 * (host - best) / (host - bound), found.value("evaluations", 0u),
              cuco::replace_all(std::string(cuco::trim(plan)), "\n", "; ").c_str());
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
  std::puts(
      "| row | published host ms | published best ms | | host ms | fast path ms | best ms | | bound ms | hidden | "
      "evaluations | plan |\n|---|---|---|---|---|---|---|---|---|---|---|---|");
  for (const Workload& workload : load_all(options))
    for (const Configuration& each : workload.configurations)
      if (is_row(workload, each)) print_row(options, workload, each);
  return 0;
}
