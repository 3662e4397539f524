#include "campaign/analyzed_program.h"

#include <filesystem>

#include "base/text.h"

namespace cuco::campaign {

Status check_sources(const std::vector<std::string>& files) {
  std::error_code ignored;
  for (size_t i = 1; i < files.size(); ++i) {
    if (!std::filesystem::exists(files[i], ignored))
      return Error{concat(files[i], ": no such file; the program's own arguments follow a --")};
    for (size_t before = 0; before < i; ++before)
      if (std::filesystem::equivalent(files[before], files[i], ignored))
        return Error{concat(files[i], ": is given twice")};
  }
  return Done{};
}

Result<AnalyzedProgram> analyze_program(frontend::ParseRequest request, const Context& context) {
  if (!context.share) return context.share.error();
  if (Status there = check_sources(request.files); !there) return there.error();
  request.share = *context.share;
  Result<model::Program> program = frontend::read_program(request);
  if (!program) return program.error();
  AnalyzedProgram analyzed{*std::move(program), {}};
  analyzed.graph = model::build_comm_graph(analyzed.program);
  return analyzed;
}

}  // namespace cuco::campaign
