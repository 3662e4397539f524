// Reading TOML files whose mistakes are reported with file:line: and what would be right. For .cpp files only: toml++
// is heavy to compile.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace cuco::model {

inline std::string describe_type(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return "text";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "true or false";
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    default:
      return "a date or time";
  }
}

// One table of the file. `title` is its path: "topology.inside"; empty for the file itself.
struct Section {
  const std::string& file;
  std::string title;
  const toml::table& table;

  std::string heading() const { return title.empty() ? "the file" : concat("[", title, "]"); }
  std::string full_name(std::string_view key) const {
    return title.empty() ? std::string(key) : concat(title, ".", key);
  }

  Error error_at(const toml::node& node, const std::string& what) const {
    return Error{concat(file, ":", std::max<uint32_t>(node.source().begin.line, 1), ": ", what)};
  }
  Error missing(std::string_view key, std::string_view expected) const {
    return error_at(table, concat(heading(), " lacks ", key, "; add it as ", expected));
  }
  Error unfit(std::string_view key, const toml::node& node, std::string_view is, std::string_view expected) const {
    return error_at(node, concat(full_name(key), " is ", is, "; it must be ", expected));
  }
};

// Unknown keys are reported before missing ones: a misspelt key is both, and its line is the one to look at.
inline Status check_keys(const Section& section, const std::vector<std::string>& known) {
  for (const auto& [key, node] : section.table) {
    std::string name(key.str());
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string meant = closest(name, known);
    std::string advice =
        meant.empty() ? concat("known keys: ", join(known, ", ")) : concat("did you mean ", meant, "?");
    return section.error_at(node, concat("unknown key ", name, " in ", section.heading(), "; ", advice));
  }
  return Done{};
}

inline Result<Section> subsection(const Section& parent, const std::string& key) {
  const toml::node* node = parent.table.get(key);
  std::string title = parent.full_name(key);
  if (node == nullptr) return parent.missing(key, concat("a table [", title, "]"));
  if (!node->is_table()) return parent.unfit(key, *node, describe_type(*node), concat("a table [", title, "]"));
  return Section{parent.file, title, *node->as_table()};
}

}  // namespace cuco::model
