#include "llm/prices.h"

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "base/text.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace cuco::llm {

namespace {

const std::vector<std::string> kKeys = {"provider",
                                        "name",
                                        "input_usd_per_mtok",
                                        "output_usd_per_mtok",
                                        "long_above_tokens",
                                        "long_input_usd_per_mtok",
                                        "long_output_usd_per_mtok",
                                        "source"};

// One [[model]] table, and where complaints about it point.
struct Row {
  const std::string& path;
  const toml::table& table;

  Error error(const toml::node& node, const std::string& what) const {
    return Error{concat(path, ":", std::max<uint32_t>(node.source().begin.line, 1), ": ", what)};
  }

  Status check_keys() const {
    for (const auto& [key, node] : table) {
      std::string name(key.str());
      if (std::find(kKeys.begin(), kKeys.end(), name) == kKeys.end())
        return error(node, concat("unknown key ", name, "; known keys: ", join(kKeys, ", ")));
    }
    return Done{};
  }

  Result<std::string> text(const char* key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return error(table, concat("[[model]] lacks ", key, "; add it as text in quotes"));
    auto value = node->value<std::string>();
    if (!value || trim(*value).empty()) return error(*node, concat(key, " must be text in quotes"));
    return *value;
  }

  Result<double> number(const char* key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return error(table, concat("[[model]] lacks ", key, "; add it as a number"));
    auto value = node->value<double>();
    if (!value || !std::isfinite(*value) || *value < 0)
      return error(*node, concat(key, " must be a number, 0 or more"));
    return *value;
  }

  Result<Rate> rate(const std::string& prefix) const {
    CUCO_TRY(double input, number((prefix + "input_usd_per_mtok").c_str()));
    CUCO_TRY(double output, number((prefix + "output_usd_per_mtok").c_str()));
    return Rate{input, output};
  }

  Result<Price> price() const {
    CUCO_TRY(Rate usual, rate(""));
    bool any_long = std::any_of(kKeys.begin(), kKeys.end(), [&](const std::string& key) {
      return key.starts_with("long_") && table.contains(key);
    });
    if (!any_long) return Price{usual};
    CUCO_TRY(double above, number("long_above_tokens"));
    CUCO_TRY(Rate longer, rate("long_"));
    return Price{usual, LongRate{static_cast<uint64_t>(above), longer}};
  }
};

}  // namespace

double Price::cost_usd(const Usage& usage) const {
  bool is_long = long_rate && usage.input_tokens > long_rate->above_tokens;
  const Rate& applied = is_long ? long_rate->rate : rate;
  return (static_cast<double>(usage.input_tokens) * applied.input_usd_per_mtok +
          static_cast<double>(usage.output_tokens) * applied.output_usd_per_mtok) /
         1e6;
}

bool PriceList::Entry::matches(const ModelSpec& spec) const {
  if (provider != "*" && provider != name_of(spec.kind)) return false;
  if (!name.ends_with('*')) return name == spec.name;
  return spec.name.starts_with(std::string_view(name).substr(0, name.size() - 1));
}

Status PriceList::add(const std::string& path, const std::string& toml_text) {
  toml::parse_result parsed = toml::parse(toml_text, path);
  if (!parsed) return Error{concat(path, ":", parsed.error().source().begin.line, ": ", parsed.error().description())};
  const toml::array* models = parsed.table()["model"].as_array();
  if (models == nullptr || parsed.table().size() != 1)
    return Error{concat(path, ":1: a price file is a list of [[model]] tables and nothing else")};
  ++file_count_;
  for (const toml::node& node : *models) {
    if (!node.is_table()) return Error{concat(path, ":1: a price file is a list of [[model]] tables")};
    Row row{path, *node.as_table()};
    CUCO_CHECK(row.check_keys());
    Result<std::string> provider = row.text("provider");
    Result<std::string> name = row.text("name");
    Result<Price> price = row.price();
    if (!provider) return provider.error();
    if (!name) return name.error();
    if (!price) return price.error();
    entries_.push_back({*provider, *name, *price, file_count_});
  }
  return Done{};
}

std::optional<Price> PriceList::find(const ModelSpec& spec) const {
  const Entry* best = nullptr;
  auto rank = [](const Entry& entry) { return std::pair(entry.file, entry.name.size()); };
  for (const Entry& entry : entries_)
    if (entry.matches(spec) && (best == nullptr || rank(entry) >= rank(*best))) best = &entry;
  return best == nullptr ? std::nullopt : std::optional(best->price);
}

Result<PriceList> load_prices(const std::filesystem::path& share, const std::optional<std::filesystem::path>& user) {
  PriceList prices;
  std::vector<std::filesystem::path> paths = {share / "prices" / "models.toml"};
  if (user) paths.push_back(*user);
  for (const std::filesystem::path& path : paths) {
    CUCO_TRY(std::string text, read_file(path));
    CUCO_CHECK(prices.add(path.string(), text));
  }
  return prices;
}

}  // namespace cuco::llm
