#include "vcluster/simulate.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "base/files.h"
#include "base/text.h"
#include "base/untrusted_file.h"
#include "vcluster/exported_symbols.h"
#include "vcluster/rank_words.h"

namespace cuco::vcluster {

namespace {

std::string harness_text(const HarnessRequest& harness) {
  std::string text = concat("run_key ", harness.run_key, "\nwarmups ", harness.warmups, "\niterations ",
                            harness.iterations, "\nnudged ", harness.nudged ? 1 : 0, "\n");
  if (harness.compared) text += "compared 1\n";
  for (const WantedPlace& place : harness.wanted)
    text += concat("wanted ", place.rank, " ", place.buffer, " ", place.is_scratch ? 1 : 0, " ", place.index, "\n");
  const CallLoop& loop = harness.loop;
  if (loop.calls > 0) text += concat("loop ", loop.calls, " ", loop.calls_max, " ", loop.few_if_large, "\n");
  for (const Watch& watch : harness.watches)
    text += concat("watch ", watch.rank, " ", watch.allocation, " ", watch.offset, " ", watch.count, " ", watch.element,
                   "\n");
  for (const Upload& upload : harness.perturbed) text += concat("perturb ", upload.digest, " ", upload.element, "\n");
  for (const ReadBack& place : harness.read_backs) text += concat("read_back ", to_text(place), "\n");
  if (!harness.capture.empty()) text += concat("capture ", harness.capture.string(), "\n");
  return text;
}

std::string options_text(const SimulationRequest& request, const Image& image, uint64_t seed, bool leaves_out_bodies,
                         const std::filesystem::path& report) {
  std::string text = concat(
      "image ", image.path.string(), "\nreport ", report.string(), "\nscratch ", request.build.folder.string(),
      "\nheaders ", std::filesystem::absolute(request.build.share / "device" / "include").lexically_normal().string(),
      "\nprofile ", request.profile.string(), "\nranks ", request.rank_count, "\nnodes ", request.node_count, "\nseed ",
      seed, "\nlimit_s ", request.time_limit_s, "\nmemory_mib ", request.memory_mib_max, "\ncheck ",
      request.build.checks() && !request.only_accesses && !request.harness.compared ? 1 : 0, "\nranks_are_processes ",
      image.ranks_are_processes || names_ranks(request.arguments) ? 1 : 0, "\nsample ", request.sample ? 1 : 0,
      "\nbodies ", leaves_out_bodies && request.accesses.empty() ? 1 : 0, "\nconfined ", request.confined ? 1 : 0,
      "\nown_device ", request.own_device ? 1 : 0, "\n");
  if (!request.trace.empty() && seed == request.seed) text += concat("trace ", request.trace.string(), "\n");
  if (!request.accesses.empty() && seed == request.seed) text += concat("accesses ", request.accesses.string(), "\n");
  if (request.build.harness) text += "harness 1\n";
  if (request.harness.plain) text += "plain 1\n";
  if (request.build.harness || request.harness.plain) text += harness_text(request.harness);
  for (const std::string& argument : request.arguments) text += concat("argument ", argument, "\n");
  return text;
}

// A run that leaves no report was killed from outside or brought its process down beyond rescue.
RunReport missing_report(int exit_code) {
  constexpr int kKilled = 128 + SIGKILL;
  RunReport report;
  report.verdict = "fault";
  report.exit_code = exit_code;
  std::string text = concat("the run ended with code ", exit_code, " and left no report");
  if (exit_code == kKilled)
    text +=
        ": it was killed from outside, most likely because the machine ran out of memory; give it smaller sizes, or a "
        "limit that is less than what is free with --memory GIB";
  report.findings.push_back({"crash", -1, text});
  return report;
}

// Neither its own limits nor its watch over itself has ended it.
RunReport overdue_report(int limit_ms) {
  constexpr int kTimedOut = 124;
  RunReport report;
  report.verdict = "time_limit";
  report.exit_code = kTimedOut;
  report.findings.push_back(
      {"no_progress", -1, concat("the run had not ended after ", limit_ms / 1000, " s and was ended from outside")});
  return report;
}

// CUCO_VCLUSTER_BIN is for tests that mix binaries of several builds.
std::filesystem::path own_folder() {
  if (const char* given = std::getenv("CUCO_VCLUSTER_BIN")) return given;
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

Result<std::filesystem::path> find_plugin(const std::string& name) {
  for (const char* folder : {"", "../lib/cuco/"})
    if (std::filesystem::path plugin = own_folder() / (folder + name); std::filesystem::exists(plugin)) return plugin;
  return Error{concat((own_folder() / name).string(), " is missing; build cuco again")};
}

Status check(const SimulationRequest& request) {
  if (request.build.files.empty()) return Error{"no source file given"};
  if (request.rank_count == 0 || request.node_count == 0) return Error{"at least one rank and one node are needed"};
  if (request.rank_count % request.node_count != 0)
    return Error{concat(request.rank_count, " ranks cannot be spread evenly over ", request.node_count, " nodes")};
  if (request.sample && request.build.checks() && !request.only_accesses)
    return Error{"a sampled run has no valid data that could be checked"};
  return Done{};
}

Result<ScheduleResult> run_once(const SimulationRequest& request, const Image& image, uint64_t seed,
                                bool leaves_out_bodies, ProcessRunner& processes) {
  std::filesystem::path report = request.build.folder / concat("run", seed, ".report");
  std::filesystem::remove(report);
  std::string options = options_text(request, image, seed, leaves_out_bodies, report);
  // Others may take most of the machine, so this limit, in real time, is far beyond that of processor time.
  int limit_ms = 10 * request.time_limit_s * 1000 + 60'000;
  Result<ProcessOutput> output = processes.run({request.runner.string()}, limit_ms, options);
  ScheduleResult result;
  result.seed = seed;
  if (output) result.output = output->text;
  Result<std::string> text = read_untrusted_file(report);
  result.report = text ? parse_report(*text) : RunReport{};
  if (!text || result.report.verdict.empty())
    result.report = output ? missing_report(output->exit_code) : overdue_report(limit_ms);
  return result;
}

// What the compiler knows is true of every schedule. A run that such a fault leads astray is explained by it first.
void add_warnings(const Image& image, RunReport& report) {
  std::vector<RunFinding> findings;
  for (const CompilerWarning& warning : image.warnings)
    findings.push_back({warning.kind, -1, warning.text, model::Severity::Warning});
  report.findings.insert(report.findings.begin(), findings.begin(), findings.end());
}

bool was_left_out(const BodyReport& body) { return body.run < body.total; }

// Whether what was left out may be why the program did not come to its end.
bool may_be_misled(const RunReport& report) {
  return report.verdict != "ok" && report.verdict != "time_limit" &&
         std::any_of(report.bodies.begin(), report.bodies.end(), was_left_out);
}

}  // namespace

Result<ScheduleResult> run_schedule(const SimulationRequest& request, const Image& image, uint64_t seed,
                                    ProcessRunner& processes) {
  Result<ScheduleResult> first = run_once(request, image, seed, true, processes);
  if (!first || !may_be_misled(first->report)) return first;
  Result<ScheduleResult> whole = run_once(request, image, seed, false, processes);
  if (!whole) return whole;
  whole->report.bodies = first->report.bodies;
  for (BodyReport& body : whole->report.bodies) {
    if (body.reason.empty()) body.reason = concat("a run that left it out ended with ", first->report.verdict);
    body.run = body.total;
  }
  return whole;
}

namespace {

Result<SimulationReport> run_schedules(const SimulationRequest& request, const Image& image, ProcessRunner& processes) {
  SimulationReport report;
  report.own_device = request.own_device;
  for (uint32_t i = 0; i < request.schedule_count; i++) {
    if (request.progress)
      request.progress(concat("running seed ", request.seed + i, ", ", counted(request.rank_count, "rank"), " (within ",
                              request.time_limit_s, " s of processor time, see --limit)"));
    Result<ScheduleResult> result = run_schedule(request, image, request.seed + i, processes);
    if (!result) return result.error();
    if (request.may_own_device && !request.own_device && shares_a_device(result->report)) {
      SimulationRequest alone = request;
      alone.own_device = true;
      return run_schedules(alone, image, processes);
    }
    add_warnings(image, result->report);
    report.schedules.push_back(std::move(*result));
  }
  return report;
}

}  // namespace

Result<SimulationReport> simulate(const SimulationRequest& request, const LowerFunction& lower,
                                  ProcessRunner& processes) {
  if (Status fit = check(request); !fit) return fit.error();
  Result<NameSet> implemented = exported_symbols(request.runner);
  if (!implemented) return implemented.error();
  BuildRequest build = request.build;
  build.implemented = *std::move(implemented);
  build.marks_bodies = request.sample && !build.checks();  // A trace needs every access.
  if (request.progress) request.progress("building the program for the virtual cluster");
  Result<Image> image = build_image(build, lower, processes);
  if (!image) return image.error();
  return run_schedules(request, *image, processes);
}

Result<std::filesystem::path> default_runner() {
  std::filesystem::path runner = own_folder() / "cuco-vcluster";
  if (!std::filesystem::exists(runner)) return Error{concat(runner.string(), " is missing; build cuco again")};
  return runner;
}

Result<std::filesystem::path> default_cost_plugin() { return find_plugin("cuco-costs.so"); }
Result<std::filesystem::path> default_check_plugin() { return find_plugin("cuco-checks.so"); }

}  // namespace cuco::vcluster
