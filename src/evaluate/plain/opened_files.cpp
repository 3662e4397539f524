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

// What is copied, so that a program may write over it: results of its last run lie beside its inputs.
struct Copies {
  uint64_t bytes_left = uint64_t{32} << 20;
  uint32_t entries_left = 512;

  static constexpr uint64_t kFileBytesMax = uint64_t{1} << 20;
  static constexpr int kDepthMax = 2;

  bool take(const fs::path& file) {
    std::error_code failure;
    // What a link leads to may lie outside, where the program must not read.
    bool is_file = fs::is_regular_file(fs::symlink_status(file, failure));
    uint64_t bytes = is_file ? fs::file_size(file, failure) : kFileBytesMax + 1;
    if (failure || bytes > std::min(kFileBytesMax, bytes_left) || entries_left == 0) return false;
    return bytes_left -= bytes, entries_left--, true;
  }
};

Result<std::vector<fs::path>> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure))
    if (!is_hidden(entry->path().filename())) entries.push_back(entry->path());
  if (failure) return Error{concat(folder.string(), ": cannot be read: ", failure.message())};
  std::ranges::sort(entries);
  return entries;
}

Status place_folder(const fs::path& folder, const fs::path& current, int depth, Copies& copies);

Status place_entry(const fs::path& entry, const fs::path& place, int depth, Copies& copies) {
  std::error_code failure;
  if (fs::symlink_status(place, failure).type() != fs::file_type::not_found) return Done{};
  bool is_folder = fs::is_directory(fs::symlink_status(entry, failure));
  if (is_folder && depth < Copies::kDepthMax && copies.entries_left > 0 && fs::create_directory(place, failure))
    return copies.entries_left--, place_folder(entry, place, depth + 1, copies);
  if (copies.take(entry) && fs::copy_file(entry, place, failure)) return Done{};
  return make_link(entry, place);
}

Status place_folder(const fs::path& folder, const fs::path& current, int depth, Copies& copies) {
  Result<std::vector<fs::path>> entries = entries_of(folder);
  if (!entries && depth > 0) return Done{};  // The program could not read it either.
  if (!entries) return entries.error();
  for (const fs::path& entry : *entries)
    if (Status placed = place_entry(entry, current / entry.filename(), depth, copies); !placed) return placed;
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
  sandbox.temporary = run_folder / "tmp";
  std::error_code failure;
  fs::create_directories(sandbox.current, failure);
  if (!failure) fs::create_directories(sandbox.temporary, failure);
  if (failure) return Error{concat(sandbox.current.string(), ": cannot be made: ", failure.message())};
  for (const std::string& argument : files.arguments)
    if (Status placed = place_named(file_word(argument), files, sandbox); !placed) return placed;
  sandbox.readable_without_hidden.push_back(files.start);
  Copies copies;
  return place_folder(files.start, sandbox.current, 0, copies);
}

}  // namespace cuco::evaluate
