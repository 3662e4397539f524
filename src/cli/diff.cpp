// cuco diff: what two candidates of a run have unlike in the program's own files.
#include "base/diff.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "base/text.h"
#include "campaign/delivery.h"
#include "campaign/found_run.h"
#include "cli/command.h"
#include "cli/options.h"
#include "evaluate/text/included_files.h"

namespace cuco::cli {

namespace {

struct DiffRequest {
  std::string run, before = "baseline", after = "best";
  size_t context_lines = 1;
  bool stat = false;
};

struct FilePair {
  const SourceFile *before = nullptr, *after = nullptr;
};

Result<store::Candidate> read_program(const store::Store& store, const std::string& given) {
  Result<store::Id> id = campaign::find_candidate(store, given);
  if (!id) return id.error();
  Result<store::Candidate> candidate = store.candidate(*id);
  if (candidate && candidate->files.empty())
    return Error{concat("candidate #", *id, " has no files: ", candidate->failure)};
  return candidate;
}

// What a patch program takes for a file that is not there.
std::string name_of(const store::Candidate& candidate, const SourceFile* file) {
  return file == nullptr ? "/dev/null" : concat(candidate.id, "/", file->name);
}

std::string text_of(const SourceFile* file) { return file == nullptr ? "" : file->text; }

bool is_mark(const std::string& line) {
  return trim(line) == "// EVOLVE-BLOCK-START" || trim(line) == "// EVOLVE-BLOCK-END";
}

// Without the marks of what a search may change, where the file had none: they are cuco's, and nobody's change.
std::string changed_text(const FilePair& pair) {
  std::vector<std::string> lines = split(text_of(pair.after), '\n'), before = split(text_of(pair.before), '\n');
  if (std::none_of(before.begin(), before.end(), is_mark)) std::erase_if(lines, is_mark);
  return join(lines, "\n");
}

std::map<std::string, FilePair> paired(const store::Candidate& before, const store::Candidate& after) {
  std::map<std::string, FilePair> pairs;
  for (const SourceFile& file : before.files) pairs[file.name].before = &file;
  for (const SourceFile& file : after.files) pairs[file.name].after = &file;
  return pairs;
}

// How much there is to read, before it begins; patch skips these lines.
std::string counts_text(const std::map<std::string, FilePair>& pairs) {
  std::string text;
  for (const auto& [name, pair] : pairs)
    if (LineCounts counts = count_changes(text_of(pair.before), changed_text(pair)); counts != LineCounts{})
      text += concat(name, ": ", to_text(counts), "\n");
  return text;
}

// The headers that a candidate has from cuco are the same for everybody, and nobody's change.
Result<std::string> library_text(const store::Candidate& candidate, const Context& context) {
  if (!context.share) return context.share.error();
  Result<std::vector<SourceFile>> headers = evaluate::library_headers(candidate.files, *context.share);
  if (!headers) return headers.error();
  return headers->empty() ? "" : concat("with ", campaign::library_words(*headers), ", not shown\n");
}

Status show_difference(const DiffRequest& request, Context& context) {
  Result<store::Store> store = campaign::open_run(request.run);
  if (!store) return store.error();
  Result<store::Candidate> before = read_program(*store, request.before);
  if (!before) return before.error();
  Result<store::Candidate> after = read_program(*store, request.after);
  if (!after) return after.error();
  std::map<std::string, FilePair> pairs = paired(*before, *after);
  std::string counts = counts_text(pairs);
  if (counts.empty()) return Done{};
  Result<std::string> library = library_text(*after, context);
  if (!library) return library.error();
  context.out << counts << *library;
  for (const auto& [name, pair] : pairs) {
    if (request.stat) break;
    std::string before_text = text_of(pair.before), after_text = changed_text(pair);
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
  command->add_option("A", request->before, "A candidate: its number, 'best' or 'baseline'")->capture_default_str();
  command->add_option("B", request->after, "The candidate to compare it with")->capture_default_str();
  command->add_option("--context", request->context_lines, "Equal lines shown around a change; 1 unless given")
      ->type_name("LINES");
  command->add_flag("--stat", request->stat, "Only how many lines are changed, added and removed");
  command->footer(
      R"(Prints how much changes and a unified diff that turns A's files into B's; nothing when they are equal. Headers of cuco
that B includes are counted and not shown, and marks of what a search may change only where A's file has some.

Examples:
  cuco diff mine                             what the best changes in the program
  cuco diff mine | patch -p1                 does it to the program in this folder
  cuco diff runs/mine 12 23 --context 10)");
  command->callback(
      [request, &chosen] { chosen = [request](Context& context) { return show_difference(*request, context); }; });
}

}  // namespace cuco::cli
