// cuco simulate: runs a program on virtual GPUs, deterministically, and says what is wrong with it.
#include "vcluster/simulate.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iomanip>
#include <memory>

#include "base/files.h"
#include "base/json.h"
#include "base/ranges_text.h"
#include "base/scratch_folder.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "campaign/analyzed_program.h"
#include "campaign/evaluation_request.h"
#include "campaign/layout.h"
#include "campaign/result_file.h"
#include "cli/command.h"
#include "cli/options.h"
#include "evaluate/plain/region.h"
#include "frontend/frontend.h"
#include "lowering/lower.h"
#include "model/finding_text.h"
#include "model/profile.h"
#include "model/region_text.h"

namespace cuco::cli {

namespace {

namespace fs = std::filesystem;

struct SimulateOptions {
  frontend::ParseRequest program;
  std::string profile;  // Empty: usual_profile().
  uint32_t ranks = 0;   // 0: as many as the profile has.
  uint32_t nodes = 0;
  uint64_t seed = 0;
  uint32_t schedules = 1;
  int time_limit_s = vcluster::kTimeLimitS;
  uint32_t memory_gib = 0;  // 0: half of what the machine has.
  std::string trace;
  std::string accesses;
  bool check = false;
  bool sample = false;
  bool own_gpu = false;
  bool json = false;

  // Accesses come from the hooks of the checking build.
  bool checks() const { return check || !accesses.empty(); }
};

Status check_options(const SimulateOptions& options) {
  if (options.sample && !options.accesses.empty())
    return Error{
        "cuco simulate: error: --accesses needs every block to run, which --sample does not do; drop one of them"};
  if (options.sample && options.check)
    return Error{"cuco simulate: error: --check needs valid data, which --sample does not give; drop one of them"};
  if (options.schedules == 0) return Error{"cuco simulate: error: --schedules must be at least 1"};
  if (Status fine = campaign::check_result_file(options.trace, campaign::kTraceBeginning); !fine) return fine;
  return campaign::check_result_file(options.accesses, campaign::kAccessesBeginning);
}

Result<vcluster::SimulationRequest> make_request(const SimulateOptions& options, const Context& context) {
  if (!context.share) return context.share.error();
  if (Status there = campaign::check_sources(options.program.files); !there) return there.error();
  for (const std::string& file : options.program.files)
    if (Result<std::string> text = read_file(file); !text) return text.error();
  std::filesystem::path profiles = *context.share / "profiles";
  Result<model::HardwareProfile> profile = model::load_profile(profiles, options.profile);
  if (!profile) return profile.error();
  Result<std::filesystem::path> runner = vcluster::default_runner();
  if (!runner) return runner.error();
  Result<std::filesystem::path> plugin = vcluster::default_cost_plugin();
  if (!plugin) return plugin.error();
  Result<std::filesystem::path> check_plugin = vcluster::default_check_plugin();
  if (options.checks() && !check_plugin) return check_plugin.error();
  bool by_path = options.profile.find('/') != std::string::npos || options.profile.ends_with(".toml");

  vcluster::SimulationRequest request;
  request.build.files = options.program.files;
  request.build.flags = options.program.flags;
  request.build.share = *context.share;
  request.build.cost_plugin = *plugin;
  if (options.checks()) request.build.check_plugin = *check_plugin;
  request.arguments = context.trailing;
  request.node_count = options.nodes ? options.nodes : profile->topology.nodes;
  request.rank_count = options.ranks ? options.ranks : profile->topology.rank_count();
  request.profile = by_path ? std::filesystem::path(options.profile) : profiles / (options.profile + ".toml");
  request.seed = options.seed;
  request.schedule_count = options.schedules;
  request.time_limit_s = options.time_limit_s;
  request.memory_mib_max = uint64_t{options.memory_gib} << 10;
  request.own_device = options.own_gpu;
  request.may_own_device = options.nodes == 0;
  request.sample = options.sample;
  request.trace = options.trace;
  request.accesses = options.accesses;
  request.only_accesses = !options.check;
  request.runner = *runner;
  if (Status fine = check_options(options); !fine) return fine.error();
  Status fits =
      campaign::check_layout("cuco simulate", request.rank_count, request.node_count, options.profile, *profile);
  if (!fits) return fits.error();
  return request;
}

std::string repeat_command(const SimulateOptions& options, const vcluster::SimulationRequest& request, uint64_t seed) {
  std::string command = concat("cuco simulate ", shell_words(options.program.files), " -n ", request.rank_count,
                               " --nodes ", request.node_count, " --profile ", shell_word(options.profile), " --seed ",
                               seed, model::typed_text(options.program.flags, shell_word));
  if (options.check) command += " --check";
  if (options.sample) command += " --sample";
  if (request.own_device) command += " --own-gpu";
  if (options.time_limit_s != SimulateOptions().time_limit_s) command += concat(" --limit ", options.time_limit_s);
  if (options.memory_gib != SimulateOptions().memory_gib) command += concat(" --memory ", options.memory_gib);
  if (!request.arguments.empty()) command += concat(" -- ", shell_words(request.arguments));
  return command;
}

bool is_clean(const vcluster::ScheduleResult& schedule) {
  return schedule.report.verdict == "ok" && schedule.report.exit_code == 0 && !vcluster::has_errors(schedule.report);
}

// The slowest rank's region decides how fast the program is.
void write_timing(std::ostream& out, const vcluster::RunReport& report) {
  const vcluster::RankTiming* timing = vcluster::slowest(report);
  if (!timing) return;
  out << "  timed " << timing->length_us() << " us on the slowest rank, "
      << (timing->region == "events"    ? "between the events that it reads"
          : timing->region == "harness" ? "in its region"
                                        : "from its first operation to its last")
      << "\n"
      << "    compute " << timing->compute_us << ", copies " << timing->copy_us << ", exposed communication "
      << timing->exposed_communication_us << ", launch " << timing->launch_us << ", waiting " << timing->wait_us << "\n"
      << "  bound " << std::max({report.bound_compute_us, report.bound_communication_us, report.bound_order_us})
      << " us: compute " << report.bound_compute_us << ", communication " << report.bound_communication_us
      << ", in the order of its kernels " << report.bound_order_us << "\n";
}

void write_timings(JsonWriter& json, const vcluster::RunReport& report) {
  json.key("timed_us");
  if (const vcluster::RankTiming* timing = vcluster::slowest(report))
    json.value(timing->length_us());
  else
    json.null();
  json.key("timings").begin_array();
  for (const vcluster::RankTiming& timing : report.timings)
    json.begin_object()
        .field("region", timing.region)
        .field("begin_us", timing.begin_us)
        .field("end_us", timing.end_us)
        .field("compute_us", timing.compute_us)
        .field("copy_us", timing.copy_us)
        .field("exposed_communication_us", timing.exposed_communication_us)
        .field("launch_us", timing.launch_us)
        .field("wait_us", timing.wait_us)
        .end_object();
  json.end_array().field("bound_compute_us", report.bound_compute_us);
  json.field("bound_communication_us", report.bound_communication_us);
  json.field("bound_order_us", report.bound_order_us);
}

// A program that came to its end may have done wrong on its way.
std::string outcome_of(const vcluster::RunReport& report) {
  return report.verdict == "ok" && vcluster::has_errors(report) ? "ran to its end, with findings" : report.verdict;
}

void write_findings(std::ostream& out, const vcluster::RunReport& report) {
  constexpr size_t kErrorsShown = 24;
  std::vector<model::ShownFinding> shown;
  for (const vcluster::RunFinding& each : report.findings)
    shown.push_back({each.severity, each.kind, ranks_text(each.rank, each.other_ranks), each.text, ""});
  for (const std::string& line : model::finding_lines(shown, kErrorsShown)) out << "  " << line << "\n";
}

void write_text(std::ostream& out, const SimulateOptions& options, const vcluster::SimulationRequest& request,
                const vcluster::ScheduleResult& schedule) {
  const vcluster::RunReport& report = schedule.report;
  out << schedule.output;
  if (!schedule.output.empty() && schedule.output.back() != '\n') out << "\n";
  out << "seed " << schedule.seed << ": " << outcome_of(report);
  if (report.exit_code != 0) out << ", exit code " << report.exit_code;
  out << "\n" << std::fixed << std::setprecision(3);
  write_findings(out, report);
  if (!is_clean(schedule)) out << "  repeat: " << repeat_command(options, request, schedule.seed) << "\n";
  for (size_t rank = 0; rank < report.rank_us.size(); ++rank)
    out << "  rank " << rank << "  " << report.rank_us[rank] << " us of virtual time\n";
  write_timing(out, report);
  if (report.sampled)
    out << "  sampled: " << report.blocks_run << " of " << report.blocks_total
        << " blocks ran in full. Times are estimates; what the program printed, computed and returned is not valid, "
           "and "
           "findings that depend on it are left out\n";
  for (const vcluster::BodyReport& body : report.bodies) out << "  sampled: " << vcluster::describe(body) << "\n";
}

void write_sample(JsonWriter& json, const vcluster::RunReport& report) {
  json.field("blocks_run", report.blocks_run).field("blocks_total", report.blocks_total);
  json.key("bodies").begin_array();
  for (const vcluster::BodyReport& body : report.bodies)
    json.begin_object()
        .field("what", body.what)
        .field("run", body.run)
        .field("total", body.total)
        .field("reason", body.reason)
        .end_object();
  json.end_array();
}

void write_json(JsonWriter& json, const vcluster::ScheduleResult& schedule) {
  json.begin_object().field("seed", schedule.seed).field("verdict", schedule.report.verdict);
  json.field("exit_code", schedule.report.exit_code).field("output", schedule.output);
  json.key("rank_us").begin_array();
  for (double microseconds : schedule.report.rank_us) json.value(microseconds);
  json.end_array();
  write_timings(json, schedule.report);
  json.field("sampled", schedule.report.sampled).field("data_valid", !schedule.report.sampled);
  if (schedule.report.sampled) write_sample(json, schedule.report);
  json.key("findings").begin_array();
  for (const vcluster::RunFinding& finding : schedule.report.findings) {
    json.begin_object()
        .field("kind", finding.kind)
        .field("severity", model::name_of(finding.severity))
        .field("rank", finding.rank);
    json.key("other_ranks").begin_array();
    for (int rank : finding.other_ranks) json.value(rank);
    json.end_array().field("text", finding.text).end_object();
  }
  json.end_array().end_object();
}

// Instead of the file in which the region stands a copy with marks that time it, below `folder`.
Status mark_region(const fs::path& folder, vcluster::BuildRequest& build) {
  Result<model::Program> program = frontend::read_program({build.files, build.flags, build.share});
  if (!program) return program.error();
  Result<model::RegionText> region = model::find_region_text(*program);
  if (!region) return region.error();
  fs::path path = fs::weakly_canonical(program->files[region->file].path);
  auto file = std::ranges::find_if(build.files, [&](const auto& each) { return fs::weakly_canonical(each) == path; });
  if (file == build.files.end()) return Error{concat("--region: it stands in ", path.string(), ", a header")};
  Result<std::string> text = read_file(path);
  if (text) text = evaluate::with_marks(*text, {path.string(), region->begin_byte, region->end_byte, 1, false, ""});
  if (!text) return text.error();
  fs::path copy = folder / "marked" / path.parent_path().filename() / path.filename();
  std::error_code failure;
  fs::create_directories(copy.parent_path(), failure);
  if (build.flags.of_files.empty()) build.flags.of_files.assign(build.files.size(), build.flags);
  model::BuildFlags& flags = build.flags.of_files[static_cast<size_t>(file - build.files.begin())];
  flags.quote_folders.insert(flags.quote_folders.begin(), path.parent_path().string());
  flags.forced_includes.push_back((build.share / "device/cuco/region_marks.h").string());
  *file = copy.string();
  return write_file(copy, *text);
}

Status simulate(const SimulateOptions& options, Context& context) {
  Result<vcluster::SimulationRequest> request = make_request(options, context);
  if (!request) return request.error();
  Result<ScratchFolder> scratch = ScratchFolder::make("cuco-simulate");
  if (!scratch) return scratch.error();
  request->build.folder = scratch->path();
  if (!request->build.flags.region.empty())
    if (Status marked = mark_region(scratch->path(), request->build); !marked) return marked;
  request->progress = campaign::progress_lines(context.err);
  Result<vcluster::SimulationReport> report = vcluster::simulate(*request, lowering::lower_to_cpp, context.processes);
  if (!report) return report.error();
  if (report->own_device && !request->own_device)
    context.err
        << "ranks chose the same GPU, which NCCL refuses: run as under a launcher that shows each rank a GPU of its "
           "own (--own-gpu); with --nodes 1 they see all\n";
  request->own_device = report->own_device;
  JsonWriter json;
  json.begin_object().field("ranks", request->rank_count).field("nodes", request->node_count);
  json.field("own_gpu", report->own_device).field("profile", options.profile).key("schedules").begin_array();
  for (const vcluster::ScheduleResult& schedule : report->schedules) {
    if (options.json)
      write_json(json, schedule);
    else
      write_text(context.out, options, *request, schedule);
    if (!is_clean(schedule)) context.exit_code = campaign::kProgramFailed;
  }
  json.end_array().end_object();
  if (options.json) context.out << json.take();
  for (const std::string& path : {options.trace, options.accesses})
    if (!path.empty() && !options.json) context.out << "written  " << path << "\n";
  return Done{};
}

}  // namespace

void add_simulate(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* command = app.add_subcommand("simulate", "Run a program on virtual GPUs and check it");
  add_program_options(*command, options->program);
  add_layout(*command, options->ranks, options->nodes, "the profile");
  command
      ->add_option("--profile", options->profile,
                   "Hardware, by name or path (default: a100x4-nvlink, or h100x8-nvlink for more ranks)")
      ->type_name("PROFILE");
  command->add_option("--seed", options->seed, "Picks delays and order within what the APIs allow")
      ->capture_default_str();
  command->add_option("--schedules", options->schedules, "Run so many seeds from --seed on")->capture_default_str();
  command->add_option("--limit", options->time_limit_s, "Seconds of processor time per schedule")
      ->capture_default_str();
  command->add_option("--memory", options->memory_gib, "GiB of memory per schedule (default: half of the machine's)")
      ->check(CLI::Range(1, 4096));
  command->add_option("--trace", options->trace, "Write a timeline of the first schedule for chrome://tracing here");
  command->add_option("--accesses", options->accesses,
                      "Write which bytes every block of every launch touches, and what every call moves, as JSON here");
  command->add_flag("--check", options->check, "Watch every memory access: races, bounds, unwritten reads (slower)");
  command->add_flag("--sample", options->sample,
                    "Time full sizes: a few blocks of each kernel that does not communicate stand for the rest, and of "
                    "one that does those of its device functions that only compute; what the program computes, prints "
                    "and returns is not valid then");
  command->add_flag("--own-gpu", options->own_gpu,
                    "Show each rank one GPU, its own, as launchers can (default: where ranks choose the same one and "
                    "--nodes is not given)");
  command->add_flag("--json", options->json, "Print the report as JSON");
  command->footer(R"(Examples:
  cuco simulate program.cu -n 4
  cuco simulate program.cu -n 8 --nodes 2 --profile a100-2node-roce --schedules 16
  cuco simulate program.cu -n 2 --seed 7 -- 4096 10
  cuco simulate program.cu -n 2 --sample -- 8192

Exit code 1 means that the program failed or a finding was made; each comes with the command that repeats it.
Exit code 2 means that nothing was run: every use of what the virtual cluster does not have is named with its line.
-D CUCO_NCCL_VERSION=23007 lets the program see NCCL 2.30.7 instead of 2.28.9.)");
  command->callback([options, &chosen] {
    if (options->profile.empty()) options->profile = campaign::usual_profile(options->ranks, options->nodes);
    chosen = [options](Context& context) { return simulate(*options, context); };
  });
}

}  // namespace cuco::cli
