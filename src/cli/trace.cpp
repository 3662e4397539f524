// cuco trace: which bytes of the communicated buffers every block of every launch touches, and at which sizes the
// closed form of it holds.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/text.h"
#include "campaign/evaluation_request.h"
#include "cli/command.h"
#include "cli/options.h"
#include "evaluate/access_runs.h"
#include "footprint/report.h"

namespace cuco::cli {

namespace {

constexpr size_t kFurtherSizes = 2;  // That a form has to hold at, and as many rank counts.
constexpr size_t kSizesMax = 6;

struct TraceOptions {
  campaign::EvaluationOptions evaluation;
  std::string kernel;
  bool all = false;
  bool once = false;
};

footprint::Shape shape_of(const evaluate::Configuration& configuration, const std::string& difference) {
  return {difference, configuration.parameters, configuration.rank_count};
}

// Tries what differs from the traced run until there is enough of it. A size that changes nothing is none.
class FurtherRuns {
 public:
  FurtherRuns(const evaluate::AccessRuns& runs, footprint::StudyInput& study) : runs_(runs), study_(study) {}

  void add_sizes(const evaluate::Configuration& configuration) {
    std::vector<evaluate::VariedConfiguration> sizes = evaluate::other_sizes(configuration);
    size_t singles = configuration.parameters.size(), taken = 0;
    for (size_t i = 0; i < sizes.size() && taken < kSizesMax; i++) {
      if (i >= singles && taken >= kFurtherSizes) break;
      taken += add(sizes[i]);
    }
  }
  void add_rank_counts(const evaluate::Configuration& configuration) {
    size_t taken = 0;
    for (const evaluate::VariedConfiguration& count : evaluate::other_rank_counts(configuration))
      if (taken < kFurtherSizes) taken += add(count) || add_with_a_size(count);
  }

 private:
  bool add(const evaluate::VariedConfiguration& varied) {
    Result<model::AccessTrace> trace = runs_.trace(varied.configuration);
    if (!trace) {
      study_.refused.push_back(concat(varied.difference, ": ", trace.error().message));
      return false;
    }
    if (*trace == study_.traced.trace) return false;
    study_.further.push_back({shape_of(varied.configuration, varied.difference), std::move(*trace)});
    return true;
  }

  // More ranks than the sizes can be divided by may go with one of the larger sizes.
  bool add_with_a_size(const evaluate::VariedConfiguration& count) {
    size_t size_count = study_.further.size();
    for (size_t i = 0; i < size_count; i++) {
      const footprint::Shape& size = study_.further[i].shape;
      if (size.rank_count != study_.traced.shape.rank_count) continue;
      evaluate::VariedConfiguration both = count;
      both.configuration.parameters = size.parameters;
      both.difference = concat(count.difference, " with ", size.difference);
      if (add(both)) return true;
    }
    return false;
  }

  const evaluate::AccessRuns& runs_;
  footprint::StudyInput& study_;
};

// Runs of the same shape that show what the bytes depend on. One that fails says nothing.
void add_comparisons(const evaluate::AccessRuns& runs, footprint::StudyInput& study) {
  if (Result<model::AccessTrace> other = runs.trace_other_inputs()) study.other_inputs = std::move(*other);
  if (Result<model::AccessTrace> other = runs.trace_other_order()) study.other_order = std::move(*other);
}

bool has_kernel(const model::AccessTrace& trace, const std::string& name) {
  return std::any_of(trace.ranks.begin(), trace.ranks.end(), [&](const std::vector<model::TracedStep>& steps) {
    return std::any_of(steps.begin(), steps.end(), [&](const model::TracedStep& step) {
      return step.is_launch && step.launch.kernel.find(name) != std::string::npos;
    });
  });
}

Status check_kernel(const TraceOptions& options, const model::AccessTrace& trace) {
  if (options.kernel.empty() || has_kernel(trace, options.kernel)) return Done{};
  std::vector<std::string> names;
  for (const std::vector<model::TracedStep>& steps : trace.ranks)
    for (const model::TracedStep& step : steps)
      if (step.is_launch && std::find(names.begin(), names.end(), step.launch.kernel) == names.end())
        names.push_back(step.launch.kernel);
  return Error{concat("cuco trace: error: --kernel ", options.kernel, ": no such kernel is launched; there are ",
                      names.empty() ? "none" : join(names, ", "))};
}

Status trace(const TraceOptions& options, Context& context) {
  campaign::end_processes_on_interrupt();
  Result<evaluate::EvaluationRequest> request = campaign::make_evaluation(options.evaluation, context);
  if (!request) return request.error();
  if (request->is_sampled())
    return Error{concat("configuration ", request->configuration.name,
                        " is too large: only a sample of its blocks ever runs; trace a smaller size, such as ",
                        request->proofs.front().shrunk)};
  Result<evaluate::AccessRuns> runs = evaluate::AccessRuns::make(*request);
  if (!runs) return runs.error();
  Result<model::AccessTrace> traced = runs->trace(request->configuration);
  if (!traced)
    return Error{concat(campaign::target_text(options.evaluation), ": cannot be traced: ", traced.error().message)};
  if (Status fine = check_kernel(options, *traced); !fine) return fine.error();
  footprint::StudyInput input;
  input.traced = {shape_of(request->configuration, ""), std::move(*traced)};
  input.all_buffers = options.all;
  input.kernel = options.kernel;
  add_comparisons(*runs, input);
  FurtherRuns further(*runs, input);
  if (!options.once) further.add_sizes(request->configuration);
  if (!options.once) further.add_rank_counts(request->configuration);
  footprint::Study study = footprint::study(input);
  context.out << (options.evaluation.json ? footprint::study_json(study) : footprint::study_text(study));
  return Done{};
}

}  // namespace

void add_trace(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<TraceOptions>();
  options->evaluation.command = "cuco trace";
  CLI::App* command = app.add_subcommand("trace", "Show which bytes of communicated buffers each block touches");
  add_program_choice(*command, options->evaluation);
  command->add_option("--kernel", options->kernel, "Only launches of kernels with this in their name")
      ->type_name("NAME");
  command->add_flag("--all", options->all, "All buffers of the device, not only those that are communicated");
  command->add_flag("--once", options->once, "Only the given shape: no further sizes and rank counts");
  add_run_limits(*command, options->evaluation);
  command->add_flag("--no-sandbox", options->evaluation.no_sandbox,
                    "Run the program with your own rights; only for text you trust");
  command->add_flag("--json", options->evaluation.json, "Print the footprints as JSON");
  command->footer(R"(Examples:
  cuco trace workloads/NAME --config small
  cuco trace program.cu -n 4 -- n=256 tile=16
  cuco trace program.cu -n 4 --kernel multiply --json

A form is exact for every block that was traced, or it is not given. It is printed with the sizes and rank counts at
which it held too; the program's NAME=VALUE arguments, or the workload's parameters, are doubled to find out.)");
  command->callback([options, &chosen] { chosen = [options](Context& context) { return trace(*options, context); }; });
}

}  // namespace cuco::cli
