#include "evaluate/plain/workload.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "base/common_folder.h"
#include "base/files.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "evaluate/plain/insertion.h"
#include "evaluate/text/included_files.h"
#include "evaluate/workload_build.h"
#include "model/comm_graph.h"
#include "model/step_facts.h"

namespace cuco::evaluate {

namespace {

namespace fs = std::filesystem;

using model::Index;
using model::Program;

Result<Program> analyze(const frontend::ParseRequest& request) {
  Result<Program> program = frontend::read_program(request);
  if (program) model::build_comm_graph(*program);
  return program;
}

std::string whole(const fs::path& path) { return fs::absolute(path).lexically_normal().string(); }

bool is_of_system(const std::string& path, const model::BuildFlags& flags) {
  return std::ranges::any_of(flags.system_include_folders,
                             [&](const std::string& folder) { return lies_below(path, whole(folder)); });
}

// The program as it lies in its workload: below one folder, as below the one it came from.
struct Laid {
  fs::path folder;                 // That it came from.
  std::vector<std::string> names;  // Of its sources, in their order.
  std::map<std::string, std::string> files;
};

// Folders of -isystem stay where they are. Headers of other branches come along with those that are read.
Result<Laid> lay_out(const Program& program, const DraftRequest& request) {
  const model::BuildFlags& flags = request.program.flags;
  std::vector<std::string> paths = request.program.files;
  for (const model::ProgramFile& file : program.files)
    if (!is_of_system(whole(file.path), flags)) paths.push_back(file.path);
  Laid laid{common_folder(paths), {}, {}};
  auto name_of = [&](const std::string& path) {
    return fs::path(whole(path)).lexically_relative(laid.folder).string();
  };
  std::vector<SourceFile> sources;
  for (const std::string& path : paths) {
    Result<std::string> text = read_file(path);
    if (!text) return text.error();
    if (laid.files.emplace(name_of(path), *text).second) sources.push_back({name_of(path), *text});
  }
  for (const std::string& path : request.program.files) laid.names.push_back(name_of(path));
  Result<std::vector<SourceFile>> headers =
      included_files(sources, laid.folder, model::read_folders(model::absolute(flags)));
  if (!headers) return headers.error();
  for (const SourceFile& header : *headers)
    if (!is_of_system((laid.folder / header.name).string(), flags)) laid.files.emplace(header.name, header.text);
  return laid;
}

// How the files are compiled where they have been written.
model::BuildFlags moved(const model::BuildFlags& given, const fs::path& from, const fs::path& to) {
  model::BuildFlags flags = model::absolute(given);
  for (std::vector<std::string>* places : {&flags.include_folders, &flags.quote_folders, &flags.forced_includes})
    for (std::string& place : *places)
      if (fs::path(place).is_absolute() && lies_below(place, from))
        place = (to / fs::path(place).lexically_relative(from)).lexically_normal().string();
  for (model::BuildFlags& each : flags.of_files) each = moved(each, from, to);
  return flags;
}

Status write_all(const fs::path& folder, const std::map<std::string, std::string>& files) {
  for (const auto& [name, text] : files) {
    std::error_code failure;
    fs::create_directories((folder / name).parent_path(), failure);
    if (Status written = write_file(folder / name, text); !written) return written;
  }
  return Done{};
}

// The line of "FOLDER/NAME:LINE:COLUMN: ..."; 0 of another file.
size_t line_in(const std::string& complaint, const std::string& path) {
  return complaint.starts_with(path + ":") ? std::strtoul(complaint.c_str() + path.size() + 1, nullptr, 10) : 0;
}

// Empty when the program parses with this text of the file; else why it does not.
std::string complaint_about(const Laid& laid, const std::string& name, const std::string& text,
                            const frontend::ParseRequest& given) {
  Result<ScratchFolder> scratch = ScratchFolder::make("cuco-init");
  if (!scratch) return scratch.error().message;
  std::map<std::string, std::string> files = laid.files;
  files[name] = text;
  if (Status written = write_all(scratch->path(), files); !written) return written.error().message;
  frontend::ParseRequest request = given;
  request.files.clear();
  for (const std::string& each : laid.names) request.files.push_back((scratch->path() / each).string());
  request.flags = moved(given.flags, laid.folder, scratch->path());
  request.flags.region.clear();
  Result<Program> program = frontend::read_program(request);
  if (program) return "";
  std::string first = split(program.error().message, '\n').front();
  return reason_against(text, line_in(first, (scratch->path() / name).string()), first);
}

// The file of the region with the harness in it.
struct Harnessed {
  std::string name, text;
};

Result<Harnessed> with_harness(const Program& program, const PlainBuffers& buffers, const Laid& laid,
                               const DraftRequest& request) {
  if (!request.why_plain.empty()) return Error{request.why_plain};
  const std::string& path =
      program.files[model::operation_at(program, program.timed_region.first_step).statement.file].path;
  std::string name = fs::path(whole(path)).lexically_relative(laid.folder).string();
  if (fs::path(name).extension() == ".c")
    return Error{concat("the region stands in ", name, ", which is C")};
  Result<std::vector<std::string>> texts = insert_harness(program, buffers, laid.files.at(name));
  if (!texts) return texts.error();
  std::string reason;
  for (const std::string& text : *texts) {
    reason = complaint_about(laid, name, text, request.program);
    if (reason.empty()) return Harnessed{name, text};
  }
  return Error{reason};
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
  if (!buffers.unwritten.empty())
    out << "left out " << names_of(program, buffers.unwritten)
        << ": copied back to the host, but the region does not write it\n";
  if (!buffers.kept.empty())
    out << "kept     " << names_of(program, buffers.kept) << ": filled by the program, its values may mean something\n";
  return out.str();
}

std::string checks_text(const std::string& harnessed, const std::string& why_plain) {
  if (harnessed.empty())
    return concat(
        "The harness was not put in: ", why_plain,
        "\nThe workload is plain: what it copies back or receives is compared, inputs stay its own.\n"
        "To check: that results are copied to the host after the timed region, and that they depend on rand() "
        "or on the rank.\n");
  return concat("The harness was put in around the region.\nTo check in ", harnessed,
                ": inputs are drawn from uniform(-1, 1), so change what needs another range; widen or narrow the "
                "tolerances; every call of the region must compute the same from the same inputs.\n");
}

std::string manifest(const Laid& laid, bool has_harness, const DraftRequest& request) {
  std::ostringstream out;
  out << "summary = " << toml_text(request.name + ", from a program without a harness") << "\n"
      << "files = " << toml_list(laid.names) << "\n";
  if (!has_harness) out << "plain = true\n";
  out << "profile = " << toml_text(request.profile) << "\n"
      << "ranks = " << request.rank_count << "\n"
      << "nodes = " << request.node_count << "\n";
  if (!request.arguments.empty()) out << "arguments = " << toml_list(request.arguments) << "\n";
  model::BuildFlags flags = model::absolute(request.program.flags);
  if (has_harness) flags.region.clear();
  out << build_tables(flags, laid.names, laid.folder) << "\n[config.default]\n";
  return out.str();
}

std::string readme_text(bool has_harness, const std::string& facts, const std::string& checks,
                        const DraftRequest& request) {
  return concat("# ", request.name, "\n\nWritten by `cuco init` from `",
                fs::path(request.program.files.front()).filename().string(), "`. What was found:\n\n```\n", facts,
                "```\n\n", checks, has_harness ? "\nBuilt with nvcc, add `-I` with cuco's `device` folder.\n" : "");
}

}  // namespace

Result<Draft> draft_workload(const DraftRequest& request) {
  Result<Program> program = analyze(request.program);
  if (!program) return program.error();
  Result<PlainBuffers> buffers = find_plain_buffers(*program);
  if (!buffers) return buffers.error();
  Result<Laid> laid = lay_out(*program, request);
  if (!laid) return laid.error();
  Result<Harnessed> harnessed = with_harness(*program, *buffers, *laid, request);
  Draft draft;
  draft.has_harness = harnessed.ok();
  draft.files = laid->files;
  if (harnessed) draft.files[harnessed->name] = harnessed->text;
  std::string checks = harnessed ? checks_text(harnessed->name, "") : checks_text("", harnessed.error().message);
  std::string facts = facts_text(*program, *buffers, request);
  draft.files["workload.toml"] = manifest(*laid, draft.has_harness, request);
  draft.files["README.md"] = readme_text(draft.has_harness, facts, checks, request);
  draft.found = facts + checks;
  return draft;
}

}  // namespace cuco::evaluate
