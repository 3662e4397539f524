#include "evaluate/plain/workload.h"

#include <algorithm>
#include <sstream>

#include "base/files.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "evaluate/plain/insertion.h"
#include "model/comm_graph.h"
#include "model/step_facts.h"

namespace cuco::evaluate {

namespace {

using model::Index;
using model::Program;

constexpr const char* kMainFile = "program.cu";

Result<Program> analyze(const frontend::ParseRequest& request) {
  Result<Program> program = frontend::read_program(request);
  if (program) model::build_comm_graph(*program);
  return program;
}

// The program's own files, headers included, by the name they get in the folder.
Result<std::map<std::string, std::string>> copied_files(const Program& program, const DraftRequest& request) {
  std::map<std::string, std::string> files;
  for (const model::ProgramFile& file : program.files) {
    Result<std::string> text = read_file(file.path);
    if (!text) return text.error();
    bool is_main = file.path == request.program.files.front();
    std::string name = is_main ? kMainFile : std::filesystem::path(file.path).filename().string();
    if (!files.emplace(name, *text).second)
      return Error{concat(file.path, ": error: two files of the program would both be called ", name)};
  }
  return files;
}

// Empty when the program parses with its harness; else the first complaint.
std::string complaint_about(const std::map<std::string, std::string>& files, frontend::ParseRequest request) {
  Result<ScratchFolder> scratch = ScratchFolder::make("cuco-init");
  if (!scratch) return scratch.error().message;
  for (const auto& [name, text] : files)
    if (Status written = write_file(scratch->path() / name, text); !written) return written.error().message;
  for (std::string& file : request.files) {
    bool is_main = &file == &request.files.front();
    file = (scratch->path() / (is_main ? std::string(kMainFile) : std::filesystem::path(file).filename().string()))
               .string();
  }
  Result<Program> program = frontend::read_program(request);
  if (program) return "";
  std::string first = split(program.error().message, '\n').front();
  return replace_all(first, scratch->path().string() + "/", "");
}

std::string names_of(const Program& program, const std::vector<Index>& buffers) {
  std::vector<std::string> names;
  for (Index index : buffers) {
    const model::Buffer& buffer = program.buffers[index];
    names.push_back(concat(buffer.name, buffer.element_type.empty() ? "" : " (" + buffer.element_type + ")"));
  }
  return names.empty() ? "none" : join(names, ", ");
}

std::string region_text(const Program& program) {
  auto line = [&](Index step) { return model::operation_at(program, step).range.line; };
  return concat("line ", line(program.timed_region.first_step), " to line ", line(program.timed_region.last_step),
                program.timed_region.basis == model::RegionBasis::Events
                    ? ", between the events whose elapsed time is read"
                    : ", where cuco analyze finds it");
}

std::string facts_text(const Program& program, const PlainBuffers& buffers, const DraftRequest& request) {
  std::ostringstream out;
  out << "region   " << region_text(program) << "\n"
      << "ranks    " << request.rank_count << " on " << request.profile << "\n"
      << "inputs   " << names_of(program, buffers.inputs) << "\n"
      << "outputs  " << names_of(program, buffers.outputs) << "\n"
      << "scratch  " << names_of(program, buffers.scratch) << "\n";
  if (!buffers.updated.empty())
    out << "updated  " << names_of(program, buffers.updated)
        << ": the region goes on from what they hold, so any values must do\n";
  if (!buffers.kept.empty())
    out << "kept     " << names_of(program, buffers.kept) << ": filled by the program, its values may mean something\n";
  return out.str();
}

std::string checks_text(const Draft& draft, const std::string& why_plain) {
  if (!draft.has_harness)
    return concat(
        "The harness was not put in: ", why_plain,
        "\nThe workload is plain: what it copies back or receives is compared, inputs stay its own.\n"
        "To check: that results are copied to the host after the timed region, and that they depend on rand() "
        "or on the rank.\n");
  return "The harness was put in around the region.\n"
         "To check in program.cu: inputs are drawn from uniform(-1, 1), so change what needs another range; widen or "
         "narrow the tolerances; every call of the region must compute the same from the same inputs.\n";
}

std::string toml_text(const Draft& draft, const DraftRequest& request) {
  std::ostringstream out;
  std::vector<std::string> sources = {concat("\"", kMainFile, "\"")};
  for (size_t i = 1; i < request.program.files.size(); i++)
    sources.push_back(concat("\"", std::filesystem::path(request.program.files[i]).filename().string(), "\""));
  out << "summary = \"" << request.name << ", from a program without a harness\"\n"
      << "files = [" << join(sources, ", ") << "]\n";
  if (!draft.has_harness) out << "plain = true\n";
  out << "profile = \"" << request.profile << "\"\n"
      << "ranks = " << request.rank_count << "\n"
      << "nodes = " << request.node_count << "\n\n"
      << "[config.default]\n";
  return out.str();
}

std::string readme_text(const Draft& draft, const std::string& facts, const std::string& checks,
                        const DraftRequest& request) {
  return concat("# ", request.name, "\n\nWritten by `cuco init` from `",
                std::filesystem::path(request.program.files.front()).filename().string(), "`. What was found:\n\n```\n",
                facts, "```\n\n", checks,
                draft.has_harness ? "\nBuilt with nvcc, add `-I` with cuco's `device` folder.\n" : "");
}

}  // namespace

Result<Draft> draft_workload(const DraftRequest& request) {
  Result<Program> program = analyze(request.program);
  if (!program) return program.error();
  Result<PlainBuffers> buffers = find_plain_buffers(*program);
  if (!buffers) return buffers.error();
  Result<std::map<std::string, std::string>> files = copied_files(*program, request);
  if (!files) return files.error();
  Draft draft;
  draft.files = *files;
  std::string why_plain;
  Index region_file = model::operation_at(*program, program->timed_region.first_step).statement.file;
  if (program->files[region_file].path != request.program.files.front()) {
    why_plain = concat("the region stands in ", program->files[region_file].path);
  } else if (Result<std::string> text = insert_harness(*program, *buffers, files->at(kMainFile)); !text) {
    why_plain = text.error().message;
  } else {
    draft.files[kMainFile] = *text;
    why_plain = complaint_about(draft.files, request.program);
    draft.has_harness = why_plain.empty();
    if (!draft.has_harness) draft.files[kMainFile] = files->at(kMainFile);
  }
  std::string facts = facts_text(*program, *buffers, request), checks = checks_text(draft, why_plain);
  draft.files["workload.toml"] = toml_text(draft, request);
  draft.files["README.md"] = readme_text(draft, facts, checks, request);
  draft.found = facts + checks;
  return draft;
}

}  // namespace cuco::evaluate
