// Measured results as a table for docs/results.md: rows of a file, each searched by `cuco optimize --on one-gpu`,
// several side by side, which take turns on the GPU while they build and verify beside each other.
//
//   gpu_table [--rows FILE] [--out DIR] [--only TEXT] [--side-by-side N] [--jobs N] [--minutes M] [-- OPTION ...]
//
// A row is WORKLOAD CONFIGURATION RANKS; `#` begins a comment.
// Options behind `--` go to every `cuco optimize`. What is finished is in DIR/ROW.json and is not done again; what was
// interrupted, as all rows are after M minutes, is resumed. Over an emulated NIC (-- --nodes 2 --network 12.5GB/s,10us)
// a last column has its floor, and for how much of the time messages were overdue, and threads of ranks waited for
// cores, in the runs of baseline and best.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/files.h"
#include "base/process.h"
#include "base/text.h"

namespace {

namespace fs = std::filesystem;
using cuco::concat;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

struct Options {
  fs::path cuco, rows = "workloads/gpu_rows.txt", out = "runs/gpu";
  std::string only;
  unsigned side_by_side = 6;
  std::string jobs = "2";  // Of each search.
  double minutes = 60;
  std::vector<std::string> further;  // For every search.
};

struct Row {
  std::string workload, configuration, ranks;
  std::string name() const { return concat(workload, "-", configuration, "-", ranks); }
};

std::vector<Row> read_rows(const Options& options) {
  std::vector<Row> rows;
  cuco::Result<std::string> text = cuco::read_file(options.rows);
  if (!text) std::fprintf(stderr, "%s\n", text.error().message.c_str());
  for (const std::string& line : cuco::split(text ? *text : "", '\n')) {
    std::vector<std::string> words = cuco::split(cuco::squeeze(line), ' ');
    if (words.size() < 3 || words[0].starts_with("#")) continue;
    Row row{words[0], words[1], words[2]};
    if (row.name().find(options.only) != std::string::npos) rows.push_back(row);
  }
  return rows;
}

class Table {
 public:
  explicit Table(Options options)
      : options_(std::move(options)),
        end_(Clock::now() + std::chrono::seconds(static_cast<int>(60 * options_.minutes))) {}

  int run() {
    std::vector<Row> rows = read_rows(options_);
    std::error_code failure;
    fs::create_directories(options_.out, failure);
    std::atomic<size_t> next{0};
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < options_.side_by_side; i++)
      workers.emplace_back([&] {
        for (size_t row = next++; row < rows.size(); row = next++) search(rows[row]);
      });
    for (std::thread& worker : workers) worker.join();
    print(rows);
    return 0;
  }

 private:
  fs::path result_of(const Row& row) const { return options_.out / concat(row.name(), ".json"); }

  int seconds_left() const {
    return static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(end_ - Clock::now()).count());
  }

  std::vector<std::string> command_for(const Row& row) const {
    fs::path folder = options_.out / row.name();
    // As Ctrl-C, so that the search ends in order and can be resumed.
    std::vector<std::string> words = {
        "timeout", "-s", "INT", "-k", "10", concat(seconds_left()), options_.cuco.string()};
    if (fs::exists(folder / "campaign.json")) {
      words.insert(words.end(), {"resume", folder.string(), "--json", "--jobs", options_.jobs});
      return words;
    }
    words.insert(words.end(),
                 {"optimize", (fs::path("workloads") / row.workload).string(), "--config", row.configuration, "--on",
                  "one-gpu", "--ranks", row.ranks, "--out", folder.string(), "--json", "--jobs", options_.jobs});
    words.insert(words.end(), options_.further.begin(), options_.further.end());
    return words;
  }

  void search(const Row& row) {
    constexpr int kWorthwhileS = 20;
    if (fs::exists(result_of(row)) || seconds_left() < kWorthwhileS) return;
    auto begin = Clock::now();
    cuco::RealProcessRunner runner;
    cuco::Result<cuco::ProcessOutput> output = runner.run(command_for(row), (seconds_left() + 30) * 1000);
    std::string text = output ? output->text : output.error().message;
    size_t object = text.find("\n{");
    bool done = object != text.npos && json::accept(text.substr(object));
    if (done && !cuco::write_file(result_of(row), text.substr(object + 1))) done = false;
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin).count();
    std::string last = text.substr(0, text.find_last_not_of('\n') + 1);
    last = last.substr(last.rfind('\n') == last.npos ? 0 : last.rfind('\n') + 1);
    std::lock_guard<std::mutex> guard(printing_);
    std::fprintf(stderr, "%s: %lld s, %s\n", row.name().c_str(), static_cast<long long>(seconds),
                 done ? "done" : last.c_str());
  }

  static std::string milliseconds(const json& entry) {
    if (!entry.is_object() || !entry.value("time_us", json()).is_number()) return "rejected";
    char text[64];
    double us = entry["time_us"];
    std::snprintf(text, sizeof text, "%.3f ms", us / 1000);
    json spread = entry.value("spread_us", json());
    return spread.is_number() ? concat(text, " (", std::to_string(spread.get<double>() / 1000).substr(0, 5), ")")
                              : text;
  }

  static std::string share(const json& entry) {
    json hidden = entry.is_object() ? entry.value("hidden", json()) : json();
    return hidden.is_number() ? concat(static_cast<int>(100 * hidden.get<double>() + 0.5), " %") : "";
  }

  static std::string best_of(const json& result) {
    if (result["best"]["id"] == result["baseline"]["id"]) return "none faster | | |";
    char gain[32];
    std::snprintf(gain, sizeof gain, "%.3fx", result["best"].value("speedup", 0.0));
    return concat(milliseconds(result["best"]), ", ", result["best"].value("design", ""), " | ", gain, " | ",
                  share(result["best"]), " |");
  }

  static std::string percent(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
    return text;
  }

  // "| floor 5.9 us; overdue 0.4 %, 1.2 %; waited 0.0 %, 0.1 % |" of baseline and best, over an emulated NIC; empty
  // over none.
  static std::string network_cell(const json& result) {
    std::vector<std::string> shares, waits;
    double floor_us = 0;
    for (const char* name : {"baseline", "best"}) {
      json network = result[name].is_object() ? result[name].value("network", json()) : json();
      if (!network.is_object()) continue;
      shares.push_back(concat(percent(network.value("overdue_share", 0.0)),
                              network.value("valid_for_timing", false) ? "" : " (not valid)"));
      waits.push_back(percent(result[name].value("waited_share", 0.0)));
      floor_us = std::max(floor_us, network.value("floor_us", 0.0));
    }
    char floor[32];
    std::snprintf(floor, sizeof floor, "floor %.1f us", floor_us);
    return shares.empty()
               ? ""
               : concat(" ", floor, "; overdue ", cuco::join(shares, ", "), "; waited ", cuco::join(waits, ", "), " |");
  }

  void print(const std::vector<Row>& rows) const {
    std::puts(
        "| program | ranks | as written | NCCL at its best | bound | fast path | best | | hidden | evaluations | GPU s "
        "| "
        "schedules |\n|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (const Row& row : rows) {
      cuco::Result<std::string> text = cuco::read_file(result_of(row));
      json result = text ? json::parse(*text, nullptr, false) : json();
      if (!result.is_object()) continue;
      char bound[32];
      std::snprintf(bound, sizeof bound, "%.3f ms", result["baseline"].value("bound_us", 0.0) / 1000);
      std::printf("| %s %s | %s | %s | %s, %s | %s | %s | %s %d | %.0f | %d |%s\n", row.workload.c_str(),
                  row.configuration.c_str(), row.ranks.c_str(), milliseconds(result["as_written"]).c_str(),
                  milliseconds(result["baseline"]).c_str(), result["baseline"].value("design", "").c_str(), bound,
                  milliseconds(result["fast_path"]).c_str(), best_of(result).c_str(), result.value("evaluations", 0),
                  result.value("gpu_seconds", 0.0), result["best"].value("schedules", 0), network_cell(result).c_str());
    }
  }

  Options options_;
  Clock::time_point end_;
  std::mutex printing_;
};

Options read_options(int argc, char** argv) {
  Options options;
  options.cuco = fs::read_symlink("/proc/self/exe").parent_path() / "cuco";
  for (int i = 1; i < argc; i++) {
    std::string word = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--") {
      options.further.assign(argv + i + 1, argv + argc);
      break;
    }
    if (word == "--rows") options.rows = value;
    if (word == "--out") options.out = value;
    if (word == "--only") options.only = value;
    if (word == "--cuco") options.cuco = value;
    if (word == "--side-by-side") options.side_by_side = static_cast<unsigned>(std::atoi(value.c_str()));
    if (word == "--jobs") options.jobs = value;
    if (word == "--minutes") options.minutes = std::atof(value.c_str());
    i++;
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) { return Table(read_options(argc, argv)).run(); }
