#include "frontend/frontend.h"

#include <algorithm>

#include "base/text.h"
#include "frontend/interpreter.h"
#include "frontend/kernels.h"
#include "frontend/locations.h"
#include "frontend/parse.h"
#include "frontend/recorder.h"
#include "frontend/source_text.h"
#include "model/named_region.h"

namespace cuco::frontend {

namespace {

bool calls_any(const model::Program& program, std::initializer_list<std::string_view> callees) {
  return std::any_of(program.operations.begin(), program.operations.end(), [&](const model::Operation& operation) {
    return std::find(callees.begin(), callees.end(), operation.callee) != callees.end();
  });
}

// A thread that makes several ranks does so inside a group: alone, each would wait for the others.
bool makes_ranks_in_groups(const model::Program& program) {
  int depth = 0, made = 0;
  for (const model::Step& step : program.steps) {
    const model::Operation& operation = program.operations[step.operation];
    if (operation.kind == model::OperationKind::GroupStart && depth++ == 0) made = 0;
    if (operation.kind == model::OperationKind::GroupEnd) depth--;
    bool makes_rank = operation.kind == model::OperationKind::CommInit && operation.callee.starts_with("ncclCommInit");
    if (makes_rank && depth > 0 && ++made > 1) return true;
  }
  return false;
}

model::RankModel rank_model_of(const model::Program& program, bool starts_threads) {
  if (calls_any(program, {"ncclCommInitAll"}) || makes_ranks_in_groups(program)) return model::RankModel::SingleProcess;
  if (calls_any(program, {"MPI_Init", "MPI_Init_thread", "MPI_Comm_rank"})) return model::RankModel::Mpi;
  if (starts_threads) return model::RankModel::Threads;
  return model::RankModel::Unknown;
}

void note_operations_in_macros(model::Program& program, Recorder& recorder) {
  for (const model::Operation& operation : program.operations)
    if (!operation.text.editable && model::is_device_work(operation.kind))
      recorder.diagnose(model::Severity::Warning, location_text(program, operation.range),
                        concat(operation.callee, " comes from the body of a macro and cannot be rewritten"));
}

// `message` is "file:line:col: error: what".
void warn_of_markers(const std::string& message, Recorder& recorder) {
  constexpr std::string_view kSeparator = ": error: ";
  size_t at = message.find(kSeparator);
  recorder.diagnose(model::Severity::Warning, message.substr(0, at), message.substr(at + kSeparator.size()));
}

// Markers that do not pair mean something to commands that change the text between them only.
void describe_files(const std::vector<ParsedFile>& parsed, model::Program& program, Recorder& recorder) {
  for (const ParsedFile& file : parsed)
    for (size_t i = 0; i < program.files.size(); ++i) {
      if (program.files[i].path != file.path) continue;
      program.files[i].lines = static_cast<uint32_t>(std::count(file.text.begin(), file.text.end(), '\n'));
      auto blocks = find_evolve_blocks(file.path, file.text, static_cast<model::Index>(i));
      if (blocks)
        program.files[i].evolve_blocks = std::move(*blocks);
      else
        warn_of_markers(blocks.error().message, recorder);
    }
}

KernelTable collect_all_kernels(const std::vector<ParsedFile>& parsed, FileTable& files) {
  KernelTable kernels;
  for (const ParsedFile& file : parsed) {
    const clang::ASTUnit& unit = file.device_unit ? *file.device_unit : *file.unit;
    collect_kernels(Locations(unit.getASTContext(), files), kernels);
  }
  return kernels;
}

void warn_of_unread_device_code(const std::vector<ParsedFile>& parsed, Recorder& recorder) {
  for (const ParsedFile& file : parsed)
    if (!file.device_error.empty())
      recorder.diagnose(
          model::Severity::Warning, file.path,
          concat("code under #if __CUDA_ARCH__ was left out, because it does not parse: ", file.device_error));
}

Result<model::Program> analyse(const std::vector<ParsedFile>& parsed) {
  FileTable files;
  for (const ParsedFile& file : parsed) files.index_of(file.path);
  KernelTable kernels = collect_all_kernels(parsed, files);
  std::vector<std::unique_ptr<Locations>> locations;
  std::vector<Locations*> units;
  for (const ParsedFile& file : parsed) {
    locations.push_back(std::make_unique<Locations>(file.unit->getASTContext(), files));
    units.push_back(locations.back().get());
  }
  model::Program program;
  Recorder recorder(program);
  Interpreter interpreter(units, kernels, recorder);
  interpreter.run();
  program.kernels = std::move(kernels.kernels);
  program.rank_model = rank_model_of(program, interpreter.starts_threads());
  program.files = files.take();
  describe_files(parsed, program, recorder);
  note_operations_in_macros(program, recorder);
  warn_of_unread_device_code(parsed, recorder);
  return program;
}

}  // namespace

Result<model::Program> read_program(const ParseRequest& request) {
  if (request.files.empty()) return Error{"no source file given"};
  std::optional<Result<model::Program>> outcome;
  bool survived = run_guarded([&] {
    Result<std::vector<ParsedFile>> parsed = parse_files(request);
    if (parsed)
      outcome = analyse(*parsed);
    else
      outcome = parsed.error();
  });
  if (!survived || !outcome)
    return Error{concat(request.files.front(),
                        ":1:1: error: Clang's parser came down on this file; it is most likely "
                        "not valid C++")};
  if (!outcome->ok() || request.flags.region.empty()) return std::move(*outcome);
  Result<model::TimedRegion> named = model::find_named_region(**outcome, request.flags.region);
  if (!named) return named.error();
  (*outcome)->timed_region = *named;
  return std::move(*outcome);
}

}  // namespace cuco::frontend
