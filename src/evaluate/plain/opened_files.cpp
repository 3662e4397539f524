#include "evaluate/plain/opened_files.h"

#include <algorithm>

#include "base/text.h"

namespace cuco::evaluate {

namespace fs = std::filesystem;

namespace {

bool is_hidden(const fs::path& path) {
  return std::ranges::any_of(path, [](const fs::path& each) {
    std::string name = each.string();
    return name.starts_with('.') && name != "." && name != "..";
  });
}

bool is_below(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

std::string file_word(const std::string& argument) { return argument.substr(argument.find('=') + 1); }

Status make_link(const fs::path& to, const fs::path& link) {
  std::error_code failure;
  fs::create_directories(link.parent_path(), failure);
  if (!failure && fs::symlink_status(link).type() == fs::file_type::not_found) fs::create_symlink(to, link, failure);
  if (failure) return Error{concat(to.string(), ": cannot be linked: ", failure.message())};
  return Done{};
}

Status link_start_folder(const fs::path& start, const fs::path& current) {
  std::error_code failure;
  for (fs::directory_iterator entry(start, failure), end; !failure && entry != end; entry.increment(failure)) {
    fs::path name = entry->path().filename();
    if (is_hidden(name)) continue;
    if (Status linked = make_link(entry->path(), current / name); !linked) return linked;
  }
  if (failure) return Error{concat(start.string(), ": cannot be read: ", failure.message())};
  return Done{};
}

// A file outside of the folder: one by a relative path, such as ../data/graph.txt, gets a link where that path leads.
Status place_named(const std::string& word, const OpenedFiles& files, SandboxRequest& sandbox) {
  std::error_code failure;
  fs::path real = fs::weakly_canonical(files.start / word, failure);
  if (failure || word.empty() || is_hidden(real) || is_below(real, fs::weakly_canonical(files.start))) return Done{};
  bool is_folder = fs::is_directory(real, failure);
  if (!is_folder && !fs::is_regular_file(real, failure)) return Done{};
  if (is_below(fs::weakly_canonical(files.start), real)) return Done{};
  (is_folder ? sandbox.readable_without_hidden : sandbox.readable).push_back((files.start / word).lexically_normal());
  if (fs::path(word).is_absolute()) return Done{};
  return make_link(real, (sandbox.current / word).lexically_normal());
}

}  // namespace

Status place_files(const OpenedFiles& files, const fs::path& run_folder, SandboxRequest& sandbox) {
  // As deep as it lies outside, so that each ".." of an argument leads to a folder of the run.
  sandbox.current = run_folder / "here" / files.start.relative_path();
  std::error_code failure;
  fs::create_directories(sandbox.current, failure);
  if (failure) return Error{concat(sandbox.current.string(), ": cannot be made: ", failure.message())};
  for (const std::string& argument : files.arguments)
    if (Status placed = place_named(file_word(argument), files, sandbox); !placed) return placed;
  sandbox.readable_without_hidden.push_back(files.start);
  return link_start_folder(files.start, sandbox.current);
}

}  // namespace cuco::evaluate
