#include "evaluate/workload.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "base/files.h"
#include "base/text.h"
#include "evaluate/workload_build.h"
#include "model/network.h"
#include "model/ranges.h"
#include "model/toml_section.h"

namespace cuco::evaluate {

namespace fs = std::filesystem;

namespace {

using model::Section;

constexpr int64_t kRanksMax = 1 << 16;
const std::vector<std::string> kFileKeys = {"summary", "files", "plain",     "demo",       "profile", "ranks",
                                            "nodes",   "build", "arguments", "parameters", "config"};
const std::vector<std::string> kConfigKeys = {"profile",    "ranks", "nodes",    "arguments",
                                              "parameters", "proof", "published"};
const std::vector<std::string> kPublishedKeys = {"host_ms", "best_ms"};

using Parameters = std::map<std::string, int64_t>;
using Parameter = std::pair<std::string, int64_t>;

// Of "NAME=NUMBER"; anything else, such as "--size=4" or "x=1.5", is only the program's to read.
std::optional<Parameter> parameter_of(const std::string& argument) {
  size_t equals = argument.find('=');
  if (equals == 0 || equals == argument.npos) return std::nullopt;
  std::string name = argument.substr(0, equals);
  auto is_of_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (!std::ranges::all_of(name, is_of_name) || std::isdigit(static_cast<unsigned char>(name[0])) != 0)
    return std::nullopt;
  int64_t value = 0;
  const char *begin = argument.data() + equals + 1, *end = argument.data() + argument.size();
  auto [stop, failure] = std::from_chars(begin, end, value);
  if (failure != std::errc() || stop != end || concat(name, "=", value) != argument) return std::nullopt;
  return Parameter(name, value);
}

std::vector<Parameter> parameters_among(const std::vector<std::string>& arguments) {
  std::vector<Parameter> parameters;
  for (const std::string& argument : arguments)
    if (std::optional<Parameter> parameter = parameter_of(argument)) parameters.push_back(*std::move(parameter));
  return parameters;
}

// Each read_* leaves `field` alone when the key is absent.
Status read_text(const Section& section, const char* key, std::string& field) {
  const toml::node* node = section.table.get(key);
  if (node == nullptr) return Done{};
  if (!node->is_string()) return section.unfit(key, *node, model::describe_type(*node), "text in quotes");
  field = node->as_string()->get();
  if (trim(field).empty()) return section.unfit(key, *node, "empty", "text in quotes");
  return Done{};
}

Status read_flag(const Section& section, const char* key, bool& field) {
  const toml::node* node = section.table.get(key);
  if (node == nullptr) return Done{};
  if (!node->is_boolean()) return section.unfit(key, *node, model::describe_type(*node), "true or false");
  field = node->as_boolean()->get();
  return Done{};
}

Status read_count(const Section& section, const char* key, uint32_t& field) {
  const toml::node* node = section.table.get(key);
  if (node == nullptr) return Done{};
  std::string expected = concat("a whole number from 1 to ", kRanksMax);
  if (!node->is_integer()) return section.unfit(key, *node, model::describe_type(*node), expected);
  int64_t number = node->as_integer()->get();
  if (number < 1 || number > kRanksMax) return section.unfit(key, *node, std::to_string(number), expected);
  field = static_cast<uint32_t>(number);
  return Done{};
}

Status read_parameters(const Section& parent, Parameters& parameters) {
  if (!parent.table.contains("parameters")) return Done{};
  Result<Section> section = model::subsection(parent, "parameters");
  if (!section) return section.error();
  for (const auto& [key, node] : section->table) {
    if (!node.is_integer())
      return section->unfit(key.str(), node, model::describe_type(node), "a whole number: what NAME=VALUE can carry");
    parameters[std::string(key.str())] = node.as_integer()->get();
  }
  return Done{};
}

Status read_arguments(const Section& section, std::vector<std::string>& arguments) {
  if (!section.table.contains("arguments")) return Done{};
  Result<std::vector<std::string>> words = read_words(section, "arguments");
  if (!words) return words.error();
  arguments = *std::move(words);
  return Done{};
}

Status read_files(const Section& root, const fs::path& folder, std::vector<fs::path>& files) {
  const toml::node* node = root.table.get("files");
  if (node == nullptr) {
    files = {folder / "program.cu"};
    return Done{};
  }
  const char* expected = "a list of one or more file names, each in quotes and inside the folder";
  if (!node->is_array()) return root.unfit("files", *node, model::describe_type(*node), expected);
  for (const toml::node& entry : *node->as_array()) {
    if (!entry.is_string()) return root.unfit("files", entry, model::describe_type(entry), expected);
    fs::path name = fs::path(entry.as_string()->get()).lexically_normal();
    if (name.is_absolute() || name.empty() || *name.begin() == "..")
      return root.unfit("files", entry, name.string(), expected);
    files.push_back(folder / name);
  }
  if (files.empty()) return root.unfit("files", *node, "empty", expected);
  return Done{};
}

// A table with exactly these keys, each a number in its range.
Status read_numbers(const Section& parent, const char* name, const std::vector<std::string>& keys,
                    const std::vector<double*>& fields) {
  Result<Section> section = model::subsection(parent, name);
  if (!section) return section.error();
  if (Status known = model::check_keys(*section, keys); !known) return known;
  for (size_t i = 0; i < keys.size(); i++) {
    const toml::node* node = section->table.get(keys[i]);
    const model::Range& range = model::range_of(keys[i]);
    if (node == nullptr) return section->missing(keys[i], range.text());
    if (!node->is_number()) return section->unfit(keys[i], *node, model::describe_type(*node), range.text());
    *fields[i] = *node->value<double>();
    if (!range.holds(*fields[i])) return section->unfit(keys[i], *node, concat(*fields[i]), range.text());
  }
  return Done{};
}

Status read_published(const Section& parent, std::optional<Published>& published) {
  if (!parent.table.contains("published")) return Done{};
  published.emplace();
  return read_numbers(parent, "published", kPublishedKeys, {&published->host_ms, &published->best_ms});
}

constexpr const char* kProofs = "a list of tables, each with other values of the program's parameters";

Result<std::string> read_proof(const Section& section, const toml::node& entry, const Parameters& parameters) {
  if (!entry.is_table() || entry.as_table()->empty())
    return section.unfit("proof", entry, model::describe_type(entry), kProofs);
  std::vector<std::string> words;
  for (const auto& [key, node] : *entry.as_table()) {
    std::string name(key.str());
    if (!parameters.contains(name))
      return section.unfit("proof", node, name, "a value of a parameter of the configuration");
    if (!node.is_integer() || node.as_integer()->get() < 1)
      return section.unfit("proof", node, name, "a whole number above 0 for each of its parameters");
    words.push_back(concat(name, "=", node.as_integer()->get()));
  }
  return join(words, " ");
}

Status read_proofs(const Section& section, const Parameters& parameters, std::vector<std::string>& proofs) {
  const toml::node* node = section.table.get("proof");
  if (node == nullptr) return Done{};
  if (!node->is_array() || node->as_array()->empty())
    return section.unfit("proof", *node, model::describe_type(*node), kProofs);
  for (const toml::node& entry : *node->as_array()) {
    Result<std::string> proof = read_proof(section, entry, parameters);
    if (!proof) return proof.error();
    proofs.push_back(*proof);
  }
  return Done{};
}

Status check_layout(const Section& section, const Configuration& configuration) {
  if (configuration.rank_count % configuration.node_count == 0) return Done{};
  const toml::node* node = section.table.get("ranks");
  if (node == nullptr) node = section.table.get("nodes");
  return section.error_at(
      node ? *node : section.table,
      concat(counted(configuration.rank_count, "rank"), " cannot be spread evenly over ",
             counted(configuration.node_count, "node"), "; ranks must be a multiple of nodes in ", section.heading()));
}

// A profile given by a path is relative to the workload.
std::string resolved_profile(const fs::path& folder, const std::string& name) {
  bool is_path = name.find('/') != std::string::npos || name.ends_with(".toml");
  return is_path ? (folder / name).lexically_normal().string() : name;
}

struct Defaults {
  Configuration configuration;
  std::vector<std::string> arguments;
  Parameters parameters;
};

Result<Configuration> read_configuration(const Section& section, const fs::path& folder, const Defaults& defaults) {
  Configuration configuration = defaults.configuration;
  configuration.line = static_cast<int>(section.table.source().begin.line);
  Parameters parameters = defaults.parameters;
  if (Status known = model::check_keys(section, kConfigKeys); !known) return known.error();
  if (Status read = read_published(section, configuration.published); !read) return read.error();
  if (Status read = read_text(section, "profile", configuration.profile); !read) return read.error();
  if (Status read = read_count(section, "ranks", configuration.rank_count); !read) return read.error();
  if (Status read = read_count(section, "nodes", configuration.node_count); !read) return read.error();
  if (Status read = read_parameters(section, parameters); !read) return read.error();
  std::vector<std::string> arguments = defaults.arguments;
  if (Status read = read_arguments(section, arguments); !read) return read.error();
  for (const auto& [name, value] : parameters_among(arguments)) parameters.try_emplace(name, value);
  configuration.arguments = std::move(arguments);
  if (Status read = read_proofs(section, parameters, configuration.proofs); !read) return read.error();
  if (configuration.profile.empty())
    return section.missing("profile", "the name of a profile, here or for the whole file");
  if (Status fits = check_layout(section, configuration); !fits) return fits.error();
  configuration.profile = resolved_profile(folder, configuration.profile);
  configuration.parameters.assign(parameters.begin(), parameters.end());
  return configuration;
}

Status read_defaults(const Section& root, Defaults& defaults) {
  Configuration& configuration = defaults.configuration;
  configuration.file = root.file;
  if (!root.table.contains("ranks")) return root.missing("ranks", "a whole number above 0");
  if (Status read = read_text(root, "profile", configuration.profile); !read) return read;
  if (Status read = read_count(root, "ranks", configuration.rank_count); !read) return read;
  if (Status read = read_count(root, "nodes", configuration.node_count); !read) return read;
  if (Status read = read_arguments(root, defaults.arguments); !read) return read;
  return read_parameters(root, defaults.parameters);
}

Status read_configurations(const Section& root, const fs::path& folder, std::vector<Configuration>& configurations) {
  Defaults defaults;
  if (Status read = read_defaults(root, defaults); !read) return read;
  Result<Section> tables = model::subsection(root, "config");
  if (!tables) return root.missing("config", "one table [config.NAME] or more");
  for (const auto& [key, node] : tables->table) {
    Result<Section> section = model::subsection(*tables, std::string(key.str()));
    if (!section) return section.error();
    Result<Configuration> configuration = read_configuration(*section, folder, defaults);
    if (!configuration) return configuration.error();
    configuration->name = key.str();
    configurations.push_back(*configuration);
  }
  if (configurations.empty()) return tables->error_at(tables->table, "there is no configuration; add [config.NAME]");
  std::sort(configurations.begin(), configurations.end(),
            [](const Configuration& a, const Configuration& b) { return a.line < b.line; });
  return Done{};
}

Status read_demo(const Section& root, Workload& workload) {
  if (Status read = read_text(root, "demo", workload.demo); !read || workload.demo.empty()) return read;
  std::vector<std::string> names;
  for (const Configuration& configuration : workload.configurations) names.push_back(configuration.name);
  if (std::find(names.begin(), names.end(), workload.demo) != names.end()) return Done{};
  return root.unfit("demo", *root.table.get("demo"), workload.demo,
                    concat("the name of a configuration: ", join(names, ", ")));
}

Error syntax_error(const std::string& path, const toml::parse_error& error) {
  const toml::source_position& at = error.source().begin;
  return Error{concat(path, ":", at.line, ":", at.column, ": not valid TOML: ", error.description())};
}

auto find_parameter(const std::vector<Parameter>& parameters, const std::string& name) {
  return std::ranges::find(parameters, name, &Parameter::first);
}

}  // namespace

Result<Workload> parse_workload(const fs::path& folder, const std::string& toml_text) {
  std::string path = (folder / "workload.toml").string();
  toml::parse_result parsed = toml::parse(toml_text, path);
  if (!parsed) return syntax_error(path, parsed.error());
  Section root{path, "", parsed.table()};
  Workload workload;
  workload.folder = folder;
  workload.name = fs::absolute(folder).lexically_normal().filename().string();
  if (Status known = model::check_keys(root, kFileKeys); !known) return known.error();
  if (!root.table.contains("summary")) return root.missing("summary", "one line of text in quotes");
  if (Status read = read_text(root, "summary", workload.summary); !read) return read.error();
  if (Status read = read_flag(root, "plain", workload.plain); !read) return read.error();
  if (Status read = read_files(root, folder, workload.files); !read) return read.error();
  if (Status read = read_build(root, workload); !read) return read.error();
  if (Status read = read_configurations(root, folder, workload.configurations); !read) return read.error();
  if (Status read = read_demo(root, workload); !read) return read.error();
  return workload;
}

Result<Workload> load_workload(const fs::path& folder) {
  Result<std::string> text = read_file(folder / "workload.toml");
  if (!text) return text.error();
  Result<Workload> workload = parse_workload(folder, *text);
  if (!workload) return workload;
  for (const fs::path& file : workload->files)
    if (!fs::is_regular_file(file)) return Error{concat(file.string(), ": no such file; workload.toml lists it")};
  return workload;
}

std::vector<std::string> program_arguments(const Configuration& configuration) {
  std::vector<std::string> words;
  std::vector<std::string> set;
  for (const std::string& argument : configuration.arguments) {
    std::optional<Parameter> parameter = parameter_of(argument);
    auto found =
        parameter ? find_parameter(configuration.parameters, parameter->first) : configuration.parameters.end();
    bool is_set = found != configuration.parameters.end();
    words.push_back(is_set ? concat(found->first, "=", found->second) : argument);
    if (is_set) set.push_back(found->first);
  }
  for (const auto& [name, value] : configuration.parameters)
    if (std::ranges::find(set, name) == set.end()) words.push_back(concat(name, "=", value));
  return words;
}

Status check_arguments(const std::vector<std::string>& given) {
  std::vector<Parameter> parameters = parameters_among(given);
  for (size_t i = 0; i < parameters.size(); i++)
    for (size_t j = 0; j < i; j++)
      if (parameters[j].first == parameters[i].first && parameters[j].second != parameters[i].second)
        return Error{concat("--: ", parameters[i].first, " is given as ", parameters[j].second, " and as ",
                            parameters[i].second)};
  return Done{};
}

void add_arguments(const std::vector<std::string>& given, Configuration& configuration) {
  for (const std::string& argument : given) {
    std::optional<Parameter> parameter = parameter_of(argument);
    auto found = std::ranges::find_if(
        configuration.parameters, [&](const Parameter& each) { return parameter && each.first == parameter->first; });
    bool is_known = found != configuration.parameters.end();
    if (is_known) found->second = parameter->second;
    if (parameter && !is_known) configuration.parameters.push_back(*parameter);
    if (!is_known) configuration.arguments.push_back(argument);
  }
}

Result<Configuration> find_configuration(const Workload& workload, const std::string& name) {
  std::vector<std::string> names;
  for (const Configuration& configuration : workload.configurations) {
    if (configuration.name == name) return configuration;
    names.push_back(configuration.name);
  }
  std::string meant = closest(name, names);
  return Error{concat(name, ": no such configuration of ", workload.name, "; ",
                      meant.empty() ? "" : concat("did you mean ", meant, "? "), "there are ", join(names, ", "))};
}

Result<model::HardwareProfile> profile_of(const Configuration& configuration, const fs::path& profiles) {
  std::string place = configuration.file.empty() ? "" : concat(configuration.file, ":", configuration.line, ": ");
  Result<model::HardwareProfile> profile = model::load_profile(profiles, configuration.profile);
  if (!profile) return Error{concat(place, "profile ", profile.error().message)};
  if (configuration.network && configuration.node_count > 1)
    model::place_network(*profile, *configuration.network, configuration.node_count, configuration.rank_count);
  const model::Topology& topology = profile->topology;
  if (configuration.node_count > 1 && !topology.between)
    return Error{concat(place, configuration.node_count, " nodes, but profile ", profile->name, " has only one")};
  if (configuration.rank_count > configuration.node_count && !topology.inside)
    return Error{concat(place, "several ranks a node, but profile ", profile->name, " has no link inside a node")};
  return profile;
}

}  // namespace cuco::evaluate
