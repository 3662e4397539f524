// cuco analyze: what communicates in a program, what depends on it, what could overlap it.
#include <CLI/CLI.hpp>
#include <memory>

#include "campaign/analyzed_program.h"
#include "campaign/result_file.h"
#include "cli/command.h"
#include "cli/options.h"
#include "model/dot.h"
#include "model/model_json.h"
#include "model/report.h"

namespace cuco::cli {

namespace {

struct AnalyzeRequest {
  frontend::ParseRequest program;
  bool json = false;
  std::string dot_file;  // Empty for none.
};

Status analyze(const AnalyzeRequest& request, Context& context) {
  Result<campaign::AnalyzedProgram> analyzed = campaign::analyze_program(request.program, context);
  if (!analyzed) return analyzed.error();
  const auto& [program, graph] = *analyzed;
  if (!request.dot_file.empty())
    if (Status written =
            campaign::write_result_file(request.dot_file, model::to_dot(program, graph), campaign::kGraphBeginning);
        !written)
      return written;
  context.out << (request.json ? model::to_json(program, graph) : model::report_text(program, graph, context.colour));
  return Done{};
}

}  // namespace

void add_analyze(CLI::App& app, Action& chosen) {
  auto request = std::make_shared<AnalyzeRequest>();
  CLI::App* command = app.add_subcommand("analyze", "Show what a program communicates and what could overlap it");
  add_program_options(*command, request->program);
  command->add_flag("--json", request->json, "Print the whole model as JSON instead of the report");
  command->add_option("--dot", request->dot_file, "Also write the graph of dependences, for Graphviz")
      ->type_name("FILE");
  command->footer(R"(Examples:
  cuco analyze program.cu
  cuco analyze main.cpp kernels.cu -I include -D TILE=64
  cuco analyze program.cu --json
  cuco analyze program.cu --dot graph.dot && dot -Tsvg graph.dot -o graph.svg)");
  command->callback(
      [request, &chosen] { chosen = [request](Context& context) { return analyze(*request, context); }; });
}

}  // namespace cuco::cli
