// The #include lines of src/ against the tables of docs/architecture.md: which folder may include which, and who sees
// the headers of other libraries.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace cuco {
namespace {

namespace fs = std::filesystem;

using Names = std::set<std::string>;
using Layers = std::map<std::string, Names>;  // What each folder may include besides itself, as its row says.

struct Include {
  std::string file, header;  // Both as seen from src/.
};

const fs::path kSource = CUCO_SOURCE_DIR;

// The words between backticks.
Names quoted(const std::string& cell) {
  std::vector<std::string> parts = split(cell, '`');
  Names names;
  for (size_t i = 1; i < parts.size(); i += 2) names.insert(parts[i]);
  return names;
}

// The rows of the table under `heading`: two cells each.
std::vector<std::pair<std::string, std::string>> table_under(const std::string& text, const std::string& heading) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const std::string& line : split(text.substr(std::min(text.find("| " + heading), text.size())), '\n')) {
    if (!line.starts_with("|")) break;
    std::vector<std::string> cells = split(line, '|');
    bool is_row = cells.size() > 2 && cells[1].find('`') != std::string::npos && !trim(cells[1]).starts_with(heading);
    if (is_row) rows.emplace_back(cells[1], cells[2]);
  }
  return rows;
}

std::string architecture() { return read_file(kSource / "docs/architecture.md").value(); }

Layers layers_of(const std::string& text) {
  Layers layers;
  for (const auto& [folders, may_include] : table_under(text, "folder of `src/`"))
    for (const std::string& folder : quoted(folders)) layers[folder] = quoted(may_include);
  return layers;
}

// The row that speaks of the file: of the innermost folder that has one.
std::string folder_of(const Layers& layers, const std::string& file) {
  fs::path folder = fs::path(file).parent_path();
  while (!folder.empty() && !layers.contains(folder.string())) folder = folder.parent_path();
  return folder.string();
}

void add_below(const Layers& layers, const std::string& folder, Names& below) {
  if (!below.insert(folder).second || !layers.contains(folder)) return;
  for (const std::string& each : layers.at(folder)) add_below(layers, each, below);
}

bool is_of_tests(const std::string& file) {
  return file.ends_with("_test.cpp") || file.ends_with("_fixtures.h") || file.ends_with("/fixtures.h");
}

// Of each include that no row allows a line. Tests may include what only tests need.
std::vector<std::string> upward(const Layers& layers, const std::vector<Include>& includes) {
  std::vector<std::string> found;
  for (const Include& include : includes) {
    std::string from = folder_of(layers, include.file), to = folder_of(layers, include.header);
    Names below;
    add_below(layers, from, below);
    bool allowed = below.contains(to) || (to == "testing" && is_of_tests(include.file));
    if (!allowed) found.push_back(concat(include.file, " includes ", include.header));
  }
  return found;
}

std::vector<fs::path> files_of_source() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "src"))
    if (entry.path().extension() == ".h" || entry.path().extension() == ".cpp") files.push_back(entry.path());
  return files;
}

// "x" of a line `#include <x>` or `#include "x"`.
std::optional<std::string> included(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("#include")) return std::nullopt;
  size_t begin = line.find_first_of("<\""), end = line.find_last_of(">\"");
  if (begin == line.npos || end <= begin) return std::nullopt;
  return std::string(line.substr(begin + 1, end - begin - 1));
}

std::vector<Include> includes_of_source() {
  std::vector<Include> includes;
  for (const fs::path& path : files_of_source())
    for (const std::string& line : split(read_file(path).value(), '\n'))
      if (std::optional<std::string> header = included(line))
        includes.push_back({path.lexically_relative(kSource / "src").string(), *header});
  return includes;
}

std::vector<Include> own_includes() {
  std::vector<Include> own;
  for (Include& include : includes_of_source())
    if (fs::exists(kSource / "src" / include.header)) own.push_back(std::move(include));
  return own;
}

// Whether a cell such as "`.cpp` of `cli`, `llm`" names the file: by its folder, and by its ending where it says one.
bool names_file(const Layers& layers, const std::string& cell, const std::string& file) {
  Names names = quoted(cell);
  bool right_ending = !names.contains(".cpp") || file.ends_with(".cpp");
  bool any_folder = names == Names{".cpp"};
  return names.contains(file) || (right_ending && (any_folder || names.contains(folder_of(layers, file))));
}

TEST(Layers, NoFolderIncludesOneThatItsRowDoesNotAllow) {
  EXPECT_EQ(upward(layers_of(architecture()), own_includes()), std::vector<std::string>());
}

TEST(Layers, EveryFolderHasARowAndEveryRowAFolder) {
  Layers layers = layers_of(architecture());
  for (const fs::path& path : files_of_source()) {
    std::string file = path.lexically_relative(kSource / "src").string();
    EXPECT_NE(folder_of(layers, file), "") << file;
  }
  for (const auto& [folder, may_include] : layers) EXPECT_TRUE(fs::is_directory(kSource / "src" / folder)) << folder;
}

// Folders with files in them, as seen from the root, that neither have a row in the table of what folders hold nor are
// named by the row of the folder around them.
std::vector<std::string> folders_without_a_word(const std::string& text, const Names& folders) {
  std::map<std::string, Names> rows;
  for (const auto& [names, what] : table_under(text, "folder | what it holds"))
    for (const std::string& name : quoted(names)) rows[name] = quoted(what);
  std::vector<std::string> found;
  for (const std::string& folder : folders) {
    fs::path path = folder;
    auto around = rows.find(path.parent_path().string());
    bool is_named = around != rows.end() && around->second.contains(path.filename().string() + "/");
    if (!rows.contains(folder) && !is_named) found.push_back(folder);
  }
  return found;
}

TEST(Layers, ArchitectureSaysWhatEveryFolderHolds) {
  Names folders;
  for (const fs::path& path : files_of_source())
    folders.insert(path.parent_path().lexically_relative(kSource).string());
  for (const auto& entry : fs::directory_iterator(kSource / "tests"))
    if (entry.is_directory()) folders.insert(entry.path().lexically_relative(kSource).string());
  EXPECT_EQ(folders_without_a_word(architecture(), folders), std::vector<std::string>());
  EXPECT_EQ(folders_without_a_word(architecture(), {"src/attic"}), std::vector<std::string>{"src/attic"});
}

TEST(Layers, WhatARowNamesIsIncluded) {
  Layers layers = layers_of(architecture()), seen;
  for (const Include& include : own_includes())
    seen[folder_of(layers, include.file)].insert(folder_of(layers, include.header));
  for (const auto& [folder, may_include] : layers)
    for (const std::string& each : may_include) EXPECT_TRUE(seen[folder].contains(each)) << folder << " -> " << each;
}

// "cuco_folder(agent cuco_llm cuco_space)" of src/CMakeLists.txt: the folder and what it links with.
TEST(Layers, CMakeLinksWhatTheTableAllows) {
  Layers layers = layers_of(architecture());
  size_t count = 0;
  for (const std::string& line : split(read_file(kSource / "src/CMakeLists.txt").value(), '\n')) {
    if (!line.starts_with("cuco_folder(")) continue;
    std::vector<std::string> words = words_of(line.substr(12, line.find(')') - 12));
    Names linked;
    for (size_t i = 1; i < words.size(); i++) linked.insert(replace_all(words[i], "cuco_", ""));
    EXPECT_EQ(linked, layers[words[0]]) << words[0];
    count++;
  }
  EXPECT_GT(count, 10u);
}

TEST(Layers, NoFolderIsAboveItself) {
  Layers layers = layers_of(architecture());
  for (const auto& [folder, may_include] : layers)
    for (const std::string& each : may_include) {
      Names below;
      add_below(layers, each, below);
      EXPECT_FALSE(below.contains(folder)) << folder << " and " << each;
    }
}

TEST(Layers, HeadersOfOtherLibrariesAreSeenWhereTheTableSays) {
  std::string text = architecture();
  Layers layers = layers_of(text);
  auto rows = table_under(text, "headers");
  ASSERT_FALSE(rows.empty());
  for (const Include& include : includes_of_source())
    for (const auto& [headers, files] : rows)
      for (const std::string& header : quoted(headers))
        EXPECT_TRUE(!include.header.starts_with(header) || is_of_tests(include.file) ||
                    names_file(layers, files, include.file))
            << include.file << " includes " << include.header;
}

const char* kExample =
    "| folder of `src/` | may include |\n|---|---|\n| `base`, `more` | |\n| `model` | `base` |\n| `view` | `model` |\n"
    "| `testing` | `base` |\n";

TEST(Layers, AnIncludeUpwardIsFound) {
  EXPECT_EQ(upward(layers_of(kExample), {{"base/text.cpp", "model/site.h"}}),
            std::vector<std::string>{"base/text.cpp includes model/site.h"});
  EXPECT_EQ(upward(layers_of(kExample), {{"model/site.cpp", "testing/site.h"}}).size(), 1u);
  EXPECT_EQ(upward(layers_of(kExample), {{"model/site.cpp", "more/site.h"}}).size(), 1u);
}

TEST(Layers, IncludesDownwardAndOfTestsAreFine) {
  EXPECT_TRUE(upward(layers_of(kExample), {{"view/page.cpp", "base/text.h"},
                                           {"view/page.cpp", "view/row.h"},
                                           {"model/deep/site.cpp", "model/site.h"},
                                           {"model/site_test.cpp", "testing/site.h"}})
                  .empty());
}

TEST(Layers, ACellNamesFilesByFolderAndEnding) {
  Layers layers = layers_of(kExample);
  EXPECT_TRUE(names_file(layers, "`.cpp` of `view`", "view/page.cpp"));
  EXPECT_FALSE(names_file(layers, "`.cpp` of `view`", "view/page.h"));
  EXPECT_FALSE(names_file(layers, "`.cpp` of `view`", "model/site.cpp"));
  EXPECT_TRUE(names_file(layers, "`view`", "view/page.h"));
  EXPECT_TRUE(names_file(layers, "`.cpp`", "model/site.cpp"));
  EXPECT_TRUE(names_file(layers, "`.cpp` of `view`; `model/site.h`", "model/site.h"));
}

}  // namespace
}  // namespace cuco
