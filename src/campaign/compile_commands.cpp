#include "campaign/compile_commands.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/files.h"
#include "base/text.h"
#include "model/compiler_words.h"
#include "model/flags_on_top.h"

namespace cuco::campaign {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

std::string seen_from(const fs::path& directory, const std::string& path) {
  return fs::absolute(directory / path).lexically_normal().string();
}

class FlagReader {
 public:
  explicit FlagReader(fs::path directory) : directory_(std::move(directory)) {}

  void read(const Words& words) {
    Words left = model::without_code_generation(words, model::OutputWord::Dropped);
    for (size_t i = 0; i < left.size(); i++) i += take(left[i], i + 1 < left.size() ? left[i + 1] : "");
  }
  model::BuildFlags flags;

 private:
  // How many further words were part of it.
  size_t take(const std::string& word, const std::string& next) {
    if (word == "--std") return model::set_standard(flags, next), 1;
    if (word == "--options-file" || word == "-optf") return read_file_of_words(next), 1;
    // Longer names first: -I is also the beginning of others.
    struct Option {
      const char* name;
      Words model::BuildFlags::*list;
      bool is_path;
    };
    static constexpr Option kOptions[] = {{"-isystem", &model::BuildFlags::system_include_folders, true},
                                          {"-iquote", &model::BuildFlags::quote_folders, true},
                                          {"-include", &model::BuildFlags::forced_includes, true},
                                          {"-I", &model::BuildFlags::include_folders, true},
                                          {"-L", &model::BuildFlags::library_folders, true},
                                          {"-D", &model::BuildFlags::definitions, false},
                                          {"-U", &model::BuildFlags::undefinitions, false},
                                          {"-l", &model::BuildFlags::libraries, false},
                                          {"--nvcc-option", &model::BuildFlags::nvcc_options, false}};
    for (const Option& option : kOptions) {
      std::string_view name = option.name;
      if (!word.starts_with(name)) continue;
      std::string value = word == name ? next : word.substr(name.size());
      if (value.starts_with('=')) value.erase(0, 1);  // As CMake writes it for nvcc.
      (flags.*option.list).push_back(option.is_path ? seen_from(directory_, value) : value);
      return word == name ? 1 : 0;
    }
    return 0;
  }

  void read_file_of_words(const std::string& name) {
    if (Result<std::string> text = read_file(seen_from(directory_, name))) read(split_words(*text));
  }

  fs::path directory_;
};

std::optional<CompileCommand> command_of(const Json& entry) {
  if (!entry.is_object() || !entry.contains("file") || !entry["file"].is_string()) return std::nullopt;
  fs::path directory = entry.value("directory", std::string("."));
  Words words;
  if (entry.contains("arguments") && entry["arguments"].is_array())
    for (const Json& word : entry["arguments"]) words.push_back(word.is_string() ? word.get<std::string>() : "");
  else if (entry.contains("command") && entry["command"].is_string())
    words = split_words(entry["command"].get<std::string>());
  return CompileCommand{seen_from(directory, entry["file"].get<std::string>()), flags_from_words(words, directory)};
}

bool is_source(const fs::path& file) {
  static const Words kEndings = {".cu", ".cpp", ".cc", ".cxx", ".c"};
  return std::ranges::find(kEndings, file.extension().string()) != kEndings.end();
}

}  // namespace

Words split_words(const std::string& line) {
  Words words;
  std::string word;
  char quote = 0;
  bool in_word = false;
  for (size_t i = 0; i < line.size(); i++) {
    char c = line[i];
    bool is_blank = c == ' ' || c == '\t' || c == '\n';
    if (!quote && is_blank) {
      if (in_word) words.push_back(std::exchange(word, ""));
      in_word = false;
      continue;
    }
    in_word = true;
    if (quote ? c == quote : c == '\'' || c == '"')
      quote = quote ? 0 : c;
    else if (c == '\\' && quote != '\'' && i + 1 < line.size())
      word += line[++i];
    else
      word += c;
  }
  if (in_word) words.push_back(word);
  return words;
}

model::BuildFlags flags_from_words(const Words& words, const fs::path& directory) {
  FlagReader reader(directory);
  reader.read(words);
  return std::move(reader.flags);
}

Result<std::vector<CompileCommand>> read_compile_commands(const fs::path& folder) {
  fs::path path = fs::is_directory(folder) ? folder / "compile_commands.json" : folder;
  Result<std::string> text = read_file(path);
  if (!text) return text.error();
  Json json = Json::parse(*text, nullptr, false);
  if (!json.is_array()) return Error{concat(path.string(), ": is no list of compile commands")};
  std::vector<CompileCommand> commands;
  for (const Json& entry : json) {
    std::optional<CompileCommand> command = command_of(entry);
    if (!command) return Error{concat(path.string(), ": an entry has no file")};
    bool is_known = std::ranges::any_of(commands, [&](const auto& each) { return each.file == command->file; });
    if (!is_known && is_source(command->file)) commands.push_back(*std::move(command));
  }
  if (commands.empty()) return Error{concat(path.string(), ": has no source file")};
  return commands;
}

Status take_compile_commands(const fs::path& folder, Words& files, model::BuildFlags& flags) {
  Result<std::vector<CompileCommand>> commands = read_compile_commands(folder);
  if (!commands) return commands.error();
  if (files.empty())
    for (const CompileCommand& command : *commands)
      files.push_back(command.file.lexically_proximate(fs::current_path()).string());
  std::vector<model::BuildFlags> of_files;
  for (const std::string& file : files) {
    fs::path absolute = fs::absolute(file).lexically_normal();
    auto found = std::ranges::find(*commands, absolute, &CompileCommand::file);
    if (found == commands->end())
      return Error{concat(file, ": is not among the ", counted(commands->size(), "file"), " of compile_commands.json")};
    of_files.push_back(model::on_top(flags, found->flags));
    flags.libraries.insert(flags.libraries.end(), found->flags.libraries.begin(), found->flags.libraries.end());
  }
  flags.of_files = std::move(of_files);
  flags.database = folder.string();
  return Done{};
}

}  // namespace cuco::campaign
