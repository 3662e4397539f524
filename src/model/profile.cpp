#include "model/profile.h"

#include <algorithm>
#include <cctype>
#include <functional>

#include "base/files.h"
#include "base/text.h"
#include "model/profile_fields.h"
#include "model/ranges.h"
#include "model/toml_section.h"

namespace cuco::model {

namespace fs = std::filesystem;

namespace {

constexpr uint32_t kRanksMax = 1u << 20;
const std::vector<std::string> kLinkKinds = {"nvlink", "pcie", "hbm", "roce", "infiniband", kEmulatedLink};

// Reads the fields of one section, in the order they are visited, up to the first that is wrong.
class FieldReader {
 public:
  explicit FieldReader(const Section& section) : section_(section) {}

  void operator()(const char* key, std::string& field) {
    read(key, "one line of text in quotes", [&](const toml::node& node) {
      if (!node.is_string()) return describe_type(node);
      field = node.as_string()->get();
      if (field.find('\n') != std::string::npos) return std::string("several lines");
      return std::string(trim(field).empty() ? "empty" : "");
    });
  }

  void operator()(const char* key, uint32_t& field) {
    const Range& range = range_of(key);
    read(key, range.whole_text(), [&](const toml::node& node) {
      if (!node.is_integer()) return describe_type(node);
      int64_t number = node.as_integer()->get();
      if (!range.holds(static_cast<double>(number))) return std::to_string(number);
      field = static_cast<uint32_t>(number);
      return std::string();
    });
  }

  void operator()(const char* key, double& field) {
    const Range& range = range_of(key);
    read(key, range.text(), [&](const toml::node& node) {
      if (!node.is_number()) return describe_type(node);
      double number = *node.value<double>();
      if (!range.holds(number)) return concat(number);
      field = number;
      return std::string();
    });
  }

  void operator()(const char* key, std::optional<double>& field) {
    if (section_.table.contains(key)) (*this)(key, field.emplace());
  }

  void operator()(const char* key, bool& field) {
    read(key, "true or false", [&](const toml::node& node) {
      if (!node.is_boolean()) return describe_type(node);
      field = node.as_boolean()->get();
      return std::string();
    });
  }

  Status status() const { return failure_ ? Status(*failure_) : Status(Done{}); }

 private:
  // `take` stores the value, or says what it is instead of `expected`.
  void read(const char* key, const std::string& expected, const std::function<std::string(const toml::node&)>& take) {
    if (failure_) return;
    const toml::node* node = section_.table.get(key);
    if (node == nullptr) {
      failure_ = section_.missing(key, expected);
      return;
    }
    if (std::string is = take(*node); !is.empty()) failure_ = section_.unfit(key, *node, is, expected);
  }

  const Section& section_;
  std::optional<Error> failure_;
};

// `visit_fields(visit)` calls visit(key, field) for every field of the section.
template <typename VisitFields>
Status read_fields(const Section& section, VisitFields visit_fields, std::vector<std::string> tables = {}) {
  std::vector<std::string> known;
  visit_fields([&](const char* key, auto&) { known.push_back(key); });
  known.insert(known.end(), tables.begin(), tables.end());
  if (Status status = check_keys(section, known); !status) return status;
  FieldReader reader(section);
  visit_fields(reader);
  return reader.status();
}

Status read_gpu(const Section& root, GpuProfile& gpu) {
  Result<Section> section = subsection(root, "gpu");
  if (!section) return section.error();
  Status status = read_fields(*section, [&](auto&& visit) { visit_gpu(gpu, visit); });
  if (!status) return status;
  const std::string& name = gpu.architecture;
  bool numbered = name.size() > 4 && name.starts_with("sm_") && std::isdigit(static_cast<unsigned char>(name[3]));
  if (!numbered)
    return section->unfit("architecture", *section->table.get("architecture"), name, "an sm_ number such as sm_90");
  return Done{};
}

Status read_latencies(const Section& root, Latencies& latencies) {
  Result<Section> section = subsection(root, "latencies");
  if (!section) return section.error();
  return read_fields(*section, [&](auto&& visit) { visit_latencies(latencies, visit); });
}

// The table may be absent.
Status read_host(const Section& root, HostProfile& host) {
  if (!root.table.contains("host")) return Done{};
  Result<Section> section = subsection(root, "host");
  if (!section) return section.error();
  return read_fields(*section, [&](auto&& visit) { visit_host(host, visit); });
}

Status read_numbers(const Section& section, const std::string& key, std::vector<double>& numbers) {
  const Range& range = range_of(key);
  std::string expected = concat("a list of rising numbers from ", range.least, " to ", range.most);
  const toml::node* node = section.table.get(key);
  if (node == nullptr) return section.missing(key, expected);
  if (!node->is_array()) return section.unfit(key, *node, describe_type(*node), expected);
  for (const toml::node& element : *node->as_array()) {
    std::optional<double> number = element.value<double>();
    if (!number || !range.holds(*number) || (!numbers.empty() && *number <= numbers.back()))
      return section.unfit(key, *node, concat("wrong at its element ", numbers.size() + 1), expected);
    numbers.push_back(*number);
  }
  return numbers.empty() ? Status(section.unfit(key, *node, "empty", expected)) : Status(Done{});
}

// Two lists, a value of the second for each of the first.
Status read_pairs(const Section& section, const std::string& from, std::vector<double>& arguments,
                  const std::string& to, std::vector<double>& values) {
  if (Status status = read_numbers(section, from, arguments); !status) return status;
  if (Status status = read_numbers(section, to, values); !status) return status;
  if (values.size() == arguments.size()) return Done{};
  return section.unfit(to, *section.table.get(to), counted(values.size(), "number"),
                       concat("as long as ", from, ", which has ", arguments.size()));
}

Status read_block_rates(const Section& section, Link& link) {
  if (!section.table.contains("blocks") && !section.table.contains("blocks_gb_per_s")) return Done{};
  return read_pairs(section, "blocks", link.blocks, "blocks_gb_per_s", link.blocks_gb_per_s);
}

Status read_link(const Section& topology, const std::string& key, std::optional<Link>& link) {
  Result<Section> section = subsection(topology, key);
  if (!section) return section.error();
  Link read;
  auto fields = [&](auto&& visit) { visit_link(read, visit); };
  if (Status status = read_fields(*section, fields, {"blocks", "blocks_gb_per_s"}); !status) return status;
  if (Status status = read_block_rates(*section, read); !status) return status;
  if (std::find(kLinkKinds.begin(), kLinkKinds.end(), read.kind) == kLinkKinds.end())
    return section->unfit("kind", *section->table.get("kind"), read.kind, "one of " + join(kLinkKinds, ", "));
  link = read;
  return Done{};
}

// A link is there exactly when there are two ranks that it joins.
Status read_link_if(bool needed, const std::string& why, const Section& topology, const std::string& key,
                    std::optional<Link>& link) {
  const toml::node* node = topology.table.get(key);
  if (needed && node == nullptr)
    return topology.error_at(topology.table, concat("[topology] has ", why, " but no link for them; add [topology.",
                                                    key, "] with kind, latency_us, gb_per_s and messages_m_per_s"));
  if (!needed && node != nullptr)
    return topology.error_at(*node, concat("[topology.", key, "] joins nothing: there are not ", why, "; remove it"));
  return needed ? read_link(topology, key, link) : Status(Done{});
}

Status check_ranks(const Section& section, const Topology& topology) {
  if (uint64_t{topology.nodes} * topology.ranks_per_node > kRanksMax)
    return section.error_at(*section.table.get("nodes"), concat("nodes x ranks_per_node is above ", kRanksMax,
                                                                "; it must be a cluster that exists"));
  // Ranks of nodes that only pretend to be several may share a GPU across them.
  bool is_emulated = section.table["between"]["kind"].value_or(std::string()) == kEmulatedLink;
  uint32_t sharing_most = is_emulated ? topology.rank_count() : topology.ranks_per_node;
  if (sharing_most % topology.ranks_per_gpu != 0)
    return section.unfit(
        "ranks_per_gpu", *section.table.get("ranks_per_gpu"), std::to_string(topology.ranks_per_gpu),
        concat("a divisor of ", is_emulated ? "all ranks" : "ranks_per_node", ", which is ", sharing_most));
  return Done{};
}

Status read_topology(const Section& root, Topology& topology) {
  Result<Section> section = subsection(root, "topology");
  if (!section) return section.error();
  auto fields = [&](auto&& visit) { visit_topology(topology, visit); };
  if (Status status = read_fields(*section, fields, {"inside", "between"}); !status) return status;
  if (Status status = check_ranks(*section, topology); !status) return status;
  bool several_ranks = topology.ranks_per_node > 1;
  if (Status status = read_link_if(several_ranks, "several ranks a node", *section, "inside", topology.inside); !status)
    return status;
  return read_link_if(topology.nodes > 1, "several nodes", *section, "between", topology.between);
}

Status read_curve(const Section& section, CollectiveCurve& curve) {
  std::string callee;
  auto fields = [&](auto&& visit) {
    visit("name", callee);
    visit("windows", curve.windows);
  };
  if (Status status = read_fields(section, fields, {"bytes", "us"}); !status) return status;
  std::optional<Collective> collective = collective_named(callee);
  if (!collective)
    return section.unfit("name", *section.table.get("name"), callee, "a collective of NCCL, such as ncclAllGather");
  curve.collective = *collective;
  return read_pairs(section, "bytes", curve.bytes, "us", curve.us);
}

Status read_collectives(const Section& root, std::vector<CollectiveCurve>& curves) {
  constexpr const char* kExpected = "tables [[collectives]] with name, windows, bytes and us";
  const toml::node* node = root.table.get("collectives");
  if (node == nullptr) return Done{};
  if (!node->is_array()) return root.unfit("collectives", *node, describe_type(*node), kExpected);
  for (const toml::node& element : *node->as_array()) {
    if (!element.is_table()) return root.unfit("collectives", element, describe_type(element), kExpected);
    Section section{root.file, "collectives", *element.as_table()};
    if (Status status = read_curve(section, curves.emplace_back()); !status) return status;
  }
  return Done{};
}

Error syntax_error(const std::string& path, const toml::parse_error& error) {
  const toml::source_position& at = error.source().begin;
  return Error{concat(path, ":", at.line, ":", at.column, ": not valid TOML: ", error.description(),
                      "; expected lines 'key = value', each key once, under [gpu], [latencies] and [topology]")};
}

Error unknown_profile(const fs::path& folder, const std::string& name) {
  Result<std::vector<std::string>> names = list_profiles(folder);
  if (!names) return names.error();
  std::string meant = closest(name, *names);
  return Error{concat(name, ": no such profile; ", meant.empty() ? "" : concat("did you mean ", meant, "? "),
                      "there are ", join(*names, ", "), "; one of your own is given by its path")};
}

}  // namespace

std::optional<double> block_rate(const Link& link, uint64_t block_count, uint32_t thread_count) {
  if (link.blocks.empty()) return link.block_gb_per_s;
  auto count = static_cast<double>(block_count);
  size_t above = 0;
  while (above < link.blocks.size() && link.blocks[above] < count) above++;
  double all = link.blocks_gb_per_s.back();
  if (above == 0) all = link.blocks_gb_per_s[0] * count / link.blocks[0];
  if (above > 0 && above < link.blocks.size()) {
    double share = (count - link.blocks[above - 1]) / (link.blocks[above] - link.blocks[above - 1]);
    all = link.blocks_gb_per_s[above - 1] + share * (link.blocks_gb_per_s[above] - link.blocks_gb_per_s[above - 1]);
  }
  double alone = link.blocks_gb_per_s[0] / link.blocks[0];
  return std::min(all / count, alone * std::min(1.0, static_cast<double>(thread_count) / kBlockThreads));
}

Result<HardwareProfile> parse_profile(const std::string& name, const std::string& path, const std::string& toml_text) {
  toml::parse_result parsed = toml::parse(toml_text, path);
  if (!parsed) return syntax_error(path, parsed.error());
  Section root{path, "", parsed.table()};
  HardwareProfile profile;
  profile.name = name;
  auto fields = [&](auto&& visit) { visit("description", profile.description); };
  if (Status status = read_fields(root, fields, {"gpu", "latencies", "host", "topology", "collectives"}); !status)
    return status.error();
  if (Status status = read_gpu(root, profile.gpu); !status) return status.error();
  if (Status status = read_latencies(root, profile.latencies); !status) return status.error();
  if (Status status = read_host(root, profile.host); !status) return status.error();
  if (Status status = read_topology(root, profile.topology); !status) return status.error();
  if (Status status = read_collectives(root, profile.collectives); !status) return status.error();
  return profile;
}

Result<HardwareProfile> load_profile(const fs::path& folder, const std::string& name) {
  bool is_path = name.find('/') != std::string::npos || name.ends_with(".toml");
  fs::path path = is_path ? fs::path(name) : folder / (name + ".toml");
  std::error_code failure;
  if (!is_path && !fs::exists(path, failure)) return unknown_profile(folder, name);
  Result<std::string> text = read_file(path);
  if (!text) return text.error();
  return parse_profile(path.stem().string(), path.string(), *text);
}

Result<std::vector<std::string>> list_profiles(const fs::path& folder) {
  std::error_code failure;
  fs::directory_iterator entries(folder, failure);
  if (failure) return Error{concat(folder.string(), ": cannot be listed: ", failure.message())};
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : entries)
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace cuco::model
