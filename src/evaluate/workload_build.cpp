#include "evaluate/workload_build.h"

#include <algorithm>

#include "base/common_folder.h"
#include "base/text.h"
#include "model/toml_section.h"

namespace cuco::evaluate {

namespace fs = std::filesystem;

namespace {

using model::BuildFlags;
using model::Section;
using Words = std::vector<std::string>;

enum class Naming : uint8_t { Text, Folder, File };

struct ListKey {
  const char* key;
  Words BuildFlags::*list;
  Naming naming;
};
constexpr ListKey kLists[] = {{"include_folders", &BuildFlags::include_folders, Naming::Folder},
                              {"system_include_folders", &BuildFlags::system_include_folders, Naming::Folder},
                              {"quote_folders", &BuildFlags::quote_folders, Naming::Folder},
                              {"definitions", &BuildFlags::definitions, Naming::Text},
                              {"undefinitions", &BuildFlags::undefinitions, Naming::Text},
                              {"forced_includes", &BuildFlags::forced_includes, Naming::File},
                              {"libraries", &BuildFlags::libraries, Naming::Text},
                              {"library_folders", &BuildFlags::library_folders, Naming::Folder},
                              {"nvcc_options", &BuildFlags::nvcc_options, Naming::Text}};

struct TextKey {
  const char* key;
  std::string BuildFlags::*text;
};
constexpr TextKey kTexts[] = {
    {"standard", &BuildFlags::standard}, {"c_standard", &BuildFlags::c_standard}, {"region", &BuildFlags::region}};

Words keys() {
  Words all = {"of"};
  for (const ListKey& each : kLists) all.emplace_back(each.key);
  for (const TextKey& each : kTexts) all.emplace_back(each.key);
  return all;
}

std::string absolute_path(const fs::path& path) { return fs::absolute(path).lexically_normal().string(); }

// A forced include may also be found where headers are looked for.
std::string placed(const std::string& name, Naming naming, const fs::path& folder) {
  std::error_code ignored;
  bool is_place = naming == Naming::Folder || (naming == Naming::File && fs::exists(folder / name, ignored));
  return is_place ? absolute_path(folder / name) : name;
}

Result<BuildFlags> read_flags(const Section& section, const fs::path& folder) {
  BuildFlags flags;
  if (Status known = model::check_keys(section, keys()); !known) return known.error();
  for (const ListKey& each : kLists) {
    if (!section.table.contains(each.key)) continue;
    Result<Words> words = read_words(section, each.key);
    if (!words) return words.error();
    for (const std::string& word : *words) (flags.*each.list).push_back(placed(word, each.naming, folder));
  }
  for (const TextKey& each : kTexts) {
    const toml::node* node = section.table.get(each.key);
    if (node == nullptr) continue;
    if (!node->is_string()) return section.unfit(each.key, *node, model::describe_type(*node), "text in quotes");
    flags.*each.text = node->as_string()->get();
  }
  return flags;
}

Status read_flags_of_files(const Section& build, const fs::path& folder, const std::vector<fs::path>& files,
                           BuildFlags& flags) {
  Result<Section> tables = model::subsection(build, "of");
  if (!tables) return tables.error();
  BuildFlags usual = flags;
  flags.of_files.assign(files.size(), usual);
  for (const auto& [key, node] : tables->table) {
    std::string name(key.str());
    auto file = std::ranges::find(files, folder / name);
    if (file == files.end()) return tables->error_at(node, concat("[build.of] has ", name, ", which is none of the workload's files"));
    Result<Section> section = model::subsection(*tables, name);
    if (!section) return section.error();
    Result<BuildFlags> own = read_flags(*section, folder);
    if (!own) return own.error();
    flags.of_files[static_cast<size_t>(file - files.begin())] = *std::move(own);
  }
  return Done{};
}

std::string named(const std::string& path, Naming naming, const fs::path& folder) {
  fs::path whole = absolute_path(path);
  if (naming == Naming::Text || (naming == Naming::File && !fs::path(path).is_absolute())) return path;
  return lies_below(whole, folder) ? whole.lexically_relative(folder).string() : whole.string();
}

std::string lines_of(const BuildFlags& flags, const fs::path& folder) {
  const BuildFlags usual;
  std::string lines;
  for (const ListKey& each : kLists) {
    Words words;
    for (const std::string& word : flags.*each.list) words.push_back(named(word, each.naming, folder));
    if (!words.empty()) lines += concat(each.key, " = ", toml_list(words), "\n");
  }
  for (const TextKey& each : kTexts)
    if (flags.*each.text != usual.*each.text) lines += concat(each.key, " = ", toml_text(flags.*each.text), "\n");
  return lines;
}

}  // namespace

Result<Words> read_words(const Section& section, const char* key) {
  const toml::node* node = section.table.get(key);
  const char* expected = "a list of texts, each in quotes";
  if (!node->is_array()) return section.unfit(key, *node, model::describe_type(*node), expected);
  Words words;
  for (const toml::node& entry : *node->as_array()) {
    if (!entry.is_string()) return section.unfit(key, entry, model::describe_type(entry), expected);
    words.push_back(entry.as_string()->get());
  }
  return words;
}

Status read_build(const Section& root, Workload& workload) {
  if (!root.table.contains("build")) return Done{};
  Result<Section> build = model::subsection(root, "build");
  if (!build) return build.error();
  Result<BuildFlags> flags = read_flags(*build, workload.folder);
  if (!flags) return flags.error();
  workload.flags = *std::move(flags);
  if (!build->table.contains("of")) return Done{};
  return read_flags_of_files(*build, workload.folder, workload.files, workload.flags);
}

std::string build_tables(const BuildFlags& flags, const Words& names, const fs::path& folder) {
  std::string lines = lines_of(flags, folder), text;
  if (!lines.empty()) text = concat("\n[build]\n", lines);
  for (size_t i = 0; i < std::min(names.size(), flags.of_files.size()); i++) {
    std::string own = lines_of(flags.of_files[i], folder);
    if (own != lines) text += concat("\n[build.of.", toml_text(names[i]), "]\n", own);
  }
  return text;
}

std::string toml_text(const std::string& text) {
  std::string quoted = "\"";
  for (char letter : text) {
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter == '\n' ? "\\n" : letter == '\t' ? "\\t" : std::string(1, letter);
  }
  return quoted + "\"";
}

std::string toml_list(const Words& words) {
  Words quoted;
  for (const std::string& word : words) quoted.push_back(toml_text(word));
  return concat("[", join(quoted, ", "), "]");
}

}  // namespace cuco::evaluate
