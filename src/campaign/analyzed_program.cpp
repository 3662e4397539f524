#include "campaign/analyzed_program.h"

namespace cuco::campaign {

Result<AnalyzedProgram> analyze_program(frontend::ParseRequest request, const Context& context) {
  if (!context.share) return context.share.error();
  request.share = *context.share;
  Result<model::Program> program = frontend::read_program(request);
  if (!program) return program.error();
  AnalyzedProgram analyzed{*std::move(program), {}};
  analyzed.graph = model::build_comm_graph(analyzed.program);
  return analyzed;
}

}  // namespace cuco::campaign
