// Runs the corpus of planted faults: tests/verify/<class>/<scenario>_{bad,near_miss}.cu. A bad program must give a
// finding of its class, at one of the lines marked `// FAULT` where the finding names lines, and with every text that a
// `// says: TEXT` of the program asks for; a near miss must give none under any schedule. Prints recall and false
// alarms per class; exit code 1 when a fault is missed that is not listed below as known, or an alarm is false.
//   cuco_corpus [--class C] [--program TEXT] [--share 1/8] [--schedules N] [--check | --no-check] [--near-misses]
//               [--show]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>

#include "base/files.h"
#include "base/process.h"
#include "base/ranges_text.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "lowering/lower.h"
#include "vcluster/simulate.h"

namespace cuco {
namespace {

const std::filesystem::path kSource = CUCO_SOURCE_DIR;

struct FaultClass {
  const char* name;
  bool needs_check;  // Seen only by the checking build, which reports every access.
};

constexpr FaultClass kClasses[] = {
    {"deadlock", false},          {"residency_deadlock", false},  {"no_progress", false}, {"window_race", true},
    {"stale_wait", true},         {"signal_accounting", true},    {"source_reuse", true}, {"unwritten_read", true},
    {"missing_fence", true},      {"barrier_misuse", false},      {"async_copy", true},   {"gpu_race", true},
    {"memory_access", true},      {"collective_mismatch", false}, {"host_race", true},    {"leak", false},
    {"divergent_barrier", false},
};

struct Options {
  std::string only_class, only_program;
  size_t share_index = 1, share_count = 1;  // Programs share_index, share_index + share_count, ..., from 1.
  uint32_t schedules = 4;
  std::optional<bool> check;  // Empty: as the class needs it.
  bool near_misses_only = false;
  bool show = false;  // Print the findings of programs that come out wrong.
};

struct Program {
  std::filesystem::path path;
  std::string text;
  bool is_bad = false;
  uint32_t ranks = 1, nodes = 1;
};

struct Tally {
  size_t bad = 0, caught = 0, near_misses = 0;
  std::vector<std::string> missed, alarmed;
};

std::string remark(const std::string& text, std::string_view key) {
  std::string prefix = concat("// ", key, ": ");
  for (const std::string& line : split(text, '\n'))
    if (line.starts_with(prefix)) return std::string(trim(std::string_view(line).substr(prefix.size())));
  return "";
}

uint32_t number(const std::string& text, std::string_view key, uint32_t otherwise) {
  std::string value = remark(text, key);
  return value.empty() ? otherwise : static_cast<uint32_t>(std::stoul(value));
}

std::vector<Program> programs_of(const FaultClass& kind, const Options& options) {
  std::vector<Program> programs;
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "tests" / "verify" / kind.name)) {
    std::string stem = entry.path().stem().string();
    bool is_bad = stem.ends_with("_bad");
    if (entry.path().extension() != ".cu" || (!is_bad && !stem.ends_with("_near_miss"))) continue;
    if (stem.find(options.only_program) == stem.npos || (is_bad && options.near_misses_only)) continue;
    std::string text = *read_file(entry.path());
    programs.push_back({entry.path(), text, is_bad, number(text, "ranks", 2), number(text, "nodes", 1)});
  }
  std::sort(programs.begin(), programs.end(), [](const Program& a, const Program& b) { return a.path < b.path; });
  return programs;
}

// A pair counts as one, so that a share holds bad programs and near misses alike.
std::vector<Program> shared_out(const std::vector<Program>& all, const Options& options, size_t& next) {
  std::vector<Program> mine;
  for (const Program& program : all) {
    if (next % options.share_count == options.share_index - 1) mine.push_back(program);
    if (!program.is_bad) next++;
  }
  return mine;
}

Result<vcluster::SimulationReport> run(const Program& program, bool check, const Options& options) {
  Result<ScratchFolder> scratch = ScratchFolder::make("cuco-corpus");
  if (!scratch) return scratch.error();
  Result<std::filesystem::path> runner = vcluster::default_runner();
  if (!runner) return runner.error();
  vcluster::SimulationRequest request;
  request.build.files = {program.path.string()};
  if (program.text.find("#pragma omp") != std::string::npos)
    request.build.flags.nvcc_options = {"-Xcompiler=-fopenmp"};
  request.build.share = kSource;
  request.build.folder = scratch->path();
  if (check) {
    Result<std::filesystem::path> plugin = vcluster::default_check_plugin();
    if (!plugin) return plugin.error();
    request.build.check_plugin = *plugin;
  }
  request.rank_count = program.ranks;
  request.node_count = program.nodes;
  request.profile = kSource / "profiles" / (program.nodes > 1 ? "a100-2node-roce.toml" : "h100x8-nvlink.toml");
  request.schedule_count = options.schedules;
  request.time_limit_s = 5;
  request.runner = *runner;
  RealProcessRunner processes;
  return vcluster::simulate(request, lowering::lower_to_cpp, processes);
}

// Lines of the program that the text names as FILE:LINE.
std::vector<size_t> lines_named(const std::string& text, const std::string& file) {
  std::vector<size_t> lines;
  std::string mark = file + ":";
  for (size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1))
    lines.push_back(std::strtoul(text.c_str() + at + mark.size(), nullptr, 10));
  return lines;
}

bool is_at_fault(const Program& program, const vcluster::RunFinding& finding) {
  std::vector<size_t> named = lines_named(finding.text, program.path.filename().string());
  std::vector<std::string> lines = split(program.text, '\n');
  auto marked = [&](size_t line) {
    return line >= 1 && line <= lines.size() && lines[line - 1].find("// FAULT") != std::string::npos;
  };
  return named.empty() || std::any_of(named.begin(), named.end(), marked);
}

// "ranks 0-1: text", as the commands show it.
std::string shown(const vcluster::RunFinding& finding) {
  return concat(ranks_text(finding.rank, finding.other_ranks), ": ", finding.text);
}

bool says_all(const Program& program, const vcluster::RunFinding& finding) {
  constexpr std::string_view kSays = "// says: ";
  std::vector<std::string> lines = split(program.text, '\n');
  return std::all_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return !line.starts_with(kSays) || shown(finding).find(trim(line.substr(kSays.size()))) != std::string::npos;
  });
}

bool is_caught(const Program& program, const FaultClass& kind, const vcluster::SimulationReport& report) {
  for (const vcluster::ScheduleResult& schedule : report.schedules)
    for (const vcluster::RunFinding& finding : schedule.report.findings)
      if (finding.kind == kind.name && is_at_fault(program, finding) && says_all(program, finding)) return true;
  return false;
}

bool is_silent(const vcluster::SimulationReport& report) {
  return std::all_of(report.schedules.begin(), report.schedules.end(), [](const vcluster::ScheduleResult& schedule) {
    return schedule.report.verdict == "ok" && schedule.report.exit_code == 0 && schedule.report.findings.empty();
  });
}

void show(const Program& program, const vcluster::SimulationReport& report) {
  std::cout << program.path.stem().string() << "\n";
  for (const vcluster::ScheduleResult& schedule : report.schedules) {
    std::cout << "  seed " << schedule.seed << ": " << schedule.report.verdict << "\n";
    for (const vcluster::RunFinding& finding : schedule.report.findings)
      std::cout << "    " << finding.kind << ", " << shown(finding) << "\n";
  }
}

void judge(const Program& program, const FaultClass& kind, const Options& options, Tally& tally) {
  Result<vcluster::SimulationReport> report = run(program, options.check.value_or(kind.needs_check), options);
  if (!report) std::cout << program.path.stem().string() << ": " << report.error().message << "\n";
  bool fine = report && (program.is_bad ? is_caught(program, kind, *report) : is_silent(*report));
  (program.is_bad ? tally.bad : tally.near_misses)++;
  if (program.is_bad && fine) tally.caught++;
  if (!fine) (program.is_bad ? tally.missed : tally.alarmed).push_back(program.path.stem().string());
  if (report && !fine && options.show) show(program, *report);
}

bool print(const std::map<std::string, Tally>& tallies) {
  std::printf("%-22s %6s %7s %7s %12s %7s\n", "class", "bad", "caught", "missed", "near misses", "alarms");
  bool clean = true;
  for (const auto& [name, tally] : tallies) {
    std::printf("%-22s %6zu %7zu %7zu %12zu %7zu\n", name.c_str(), tally.bad, tally.caught, tally.missed.size(),
                tally.near_misses, tally.alarmed.size());
    for (const std::string& program : tally.missed) std::printf("  missed       %s\n", program.c_str());
    for (const std::string& program : tally.alarmed) std::printf("  false alarm  %s\n", program.c_str());
    clean = clean && tally.alarmed.empty() && tally.missed.empty();
  }
  return clean;
}

std::optional<Options> parse(const std::vector<std::string>& words) {
  Options options;
  for (size_t i = 0; i < words.size(); i++) {
    const std::string& word = words[i];
    if (word == "--check" || word == "--no-check") {
      options.check = word == "--check";
    } else if (word == "--show") {
      options.show = true;
    } else if (word == "--near-misses") {
      options.near_misses_only = true;
    } else if (i + 1 == words.size()) {
      return std::nullopt;
    } else if (word == "--class") {
      options.only_class = words[++i];
    } else if (word == "--program") {
      options.only_program = words[++i];
    } else if (word == "--schedules") {
      options.schedules = static_cast<uint32_t>(std::atoi(words[++i].c_str()));
    } else if (word == "--share") {
      if (std::sscanf(words[++i].c_str(), "%zu/%zu", &options.share_index, &options.share_count) != 2)
        return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  bool valid = options.schedules > 0 && options.share_index >= 1 && options.share_index <= options.share_count;
  return valid ? std::optional(options) : std::nullopt;
}

int run_corpus(const Options& options) {
  std::map<std::string, Tally> tallies;
  size_t next = 0;
  for (const FaultClass& kind : kClasses) {
    if (!options.only_class.empty() && options.only_class != kind.name) continue;
    if (kind.needs_check && options.check == false) continue;
    Tally& tally = tallies[kind.name];
    for (const Program& program : shared_out(programs_of(kind, options), options, next))
      judge(program, kind, options, tally);
  }
  return print(tallies) ? 0 : 1;
}

}  // namespace
}  // namespace cuco

int main(int argc, char** argv) {
  std::optional<cuco::Options> options = cuco::parse({argv + 1, argv + argc});
  if (!options) {
    std::cerr << "usage: cuco_corpus [--class C] [--program TEXT] [--share I/N] [--schedules N] [--check | --no-check] "
                 "[--near-misses] [--show]\n";
    return 2;
  }
  return cuco::run_corpus(*options);
}
