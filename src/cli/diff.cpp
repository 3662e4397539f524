// cuco diff: what two candidates of a run have unlike in their files.
#include "base/diff.h"

#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/run_input.h"

namespace cuco::cli {

namespace {

struct DiffRequest {
  std::string run, before, after;
  size_t context_lines = 3;
};

struct FilePair {
  const store::File *before = nullptr, *after = nullptr;
};

Result<store::Candidate> read_program(const store::Store& store, const std::string& given) {
  Result<store::Id> id = find_candidate(store, given);
  if (!id) return id.error();
  Result<store::Candidate> candidate = store.candidate(*id);
  if (candidate && candidate->files.empty())
    return Error{concat("candidate #", *id, " has no files: ", candidate->failure)};
  return candidate;
}

// What a patch program takes for a file that is not there.
std::string name_of(const store::Candidate& candidate, const store::File* file) {
  return file == nullptr ? "/dev/null" : concat(candidate.id, "/", file->name);
}

std::string text_of(const store::File* file) { return file == nullptr ? "" : file->text; }

Status show_difference(const DiffRequest& request, Context& context) {
  Result<store::Store> store = open_run(request.run);
  if (!store) return store.error();
  Result<store::Candidate> before = read_program(*store, request.before);
  if (!before) return before.error();
  Result<store::Candidate> after = read_program(*store, request.after);
  if (!after) return after.error();
  std::map<std::string, FilePair> pairs;
  for (const store::File& file : before->files) pairs[file.name].before = &file;
  for (const store::File& file : after->files) pairs[file.name].after = &file;
  for (const auto& [name, pair] : pairs) {
    std::string before_text = text_of(pair.before), after_text = text_of(pair.after);
    context.out << unified_diff({name_of(*before, pair.before), before_text}, {name_of(*after, pair.after), after_text},
                                request.context_lines);
  }
  return Done{};
}

}  // namespace

void add_diff(CLI::App& app, Action& chosen) {
  auto request = std::make_shared<DiffRequest>();
  CLI::App* command = app.add_subcommand("diff", "Compare the files of two candidates of a run");
  add_run_option(*command, request->run);
  command->add_option("A", request->before, "A candidate: its number, 'best' or 'baseline'")->required();
  command->add_option("B", request->after, "The candidate to compare it with")->required();
  command->add_option("--context", request->context_lines, "Equal lines shown around a change; 3 unless given")
      ->type_name("LINES");
  command->footer(R"(Prints a unified diff that turns A's files into B's; nothing when they are equal.

Examples:
  cuco diff mine baseline best
  cuco diff runs/mine 12 23 --context 10)");
  command->callback(
      [request, &chosen] { chosen = [request](Context& context) { return show_difference(*request, context); }; });
}

}  // namespace cuco::cli
