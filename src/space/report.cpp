#include "space/report.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/text.h"
#include "space/enumerate.h"
#include "space/fast_path.h"
#include "space/refusals.h"
#include "space/rules.h"

namespace cuco::space {
namespace {

constexpr size_t kColumnsMax = 100;

// One paragraph; lines after the first begin with `indent` blanks.
std::string paragraph(std::string_view first_indent, std::string_view text, size_t indent) {
  std::vector<std::string> lines = wrapped(text, kColumnsMax - indent, kColumnsMax - first_indent.size());
  return concat(first_indent, join(lines, "\n" + std::string(indent, ' ')), "\n");
}

std::string topology_text(const model::HardwareProfile& profile) {
  const model::Topology& topology = profile.topology;
  std::string text =
      concat(profile.name, ", ", counted(topology.nodes, "node"), " of ", counted(topology.ranks_per_node, "rank"));
  if (topology.inside) text += concat(", ", topology.inside->kind, " inside");
  if (topology.between) text += concat(", ", topology.between->kind, " between");
  return text;
}

std::string heading(const SiteFacts& site) {
  std::string text = concat(site.name, " ", site.callee, " at ", site.location);
  if (site.message_bytes) text += concat(", ", bytes_text(*site.message_bytes), " a message");
  return text;
}

size_t count_with(const std::vector<Directive>& legal, Dimension dimension, const std::string& word) {
  return static_cast<size_t>(std::ranges::count_if(
      legal, [&](const Directive& directive) { return value_text(directive, dimension) == word; }));
}

// "host 2, lsa 410": the values that some legal directive has, with how many have it.
std::string legal_values(const std::vector<Directive>& legal, Dimension dimension) {
  std::vector<std::string> parts;
  for (size_t value = 0; value < value_count(dimension); ++value) {
    Directive directive;
    set_value(directive, dimension, value);
    std::string word = value_text(directive, dimension);
    if (size_t count = count_with(legal, dimension, word)) parts.push_back(concat(word, " ", count));
  }
  return join(parts, ", ");
}

std::string padded(std::string_view text, size_t width) {
  return std::string(text) + std::string(width - std::min(width, text.size()), ' ');
}

std::string refusal_text(const Refusal& refusal) {
  return paragraph(
      "    ", concat(refusal.subject, " (", refusal.combinations, "): ", refusal.reason, " [", refusal.rule, "]"), 8);
}

// Without what only repeats that a value is refused.
std::vector<Refusal> telling_refusals(const SiteFacts& site, const model::HardwareProfile& profile) {
  std::vector<Refusal> all = refusals(site, profile);
  std::erase_if(all, [](const Refusal& refusal) { return refusal.covered; });
  return all;
}

// What every site is refused for the same reason is told once.
std::vector<Refusal> common_refusals(const std::vector<std::vector<Refusal>>& by_site) {
  if (by_site.size() < 2) return {};
  std::vector<Refusal> common = by_site.front();
  for (const std::vector<Refusal>& other : by_site)
    std::erase_if(common, [&](const Refusal& refusal) { return std::ranges::find(other, refusal) == other.end(); });
  return common;
}

std::string legal_text(const std::vector<Directive>& legal) {
  std::string text = concat("  ", legal.size(), " of ", combination_count(), " combinations are legal\n");
  for (Dimension dimension : kDimensions)
    text += paragraph(concat("    ", padded(name_of(dimension), 11)), legal_values(legal, dimension), 15);
  return text;
}

std::string refusals_text(std::string_view title, const std::vector<Refusal>& all,
                          const std::vector<Refusal>& omitted) {
  std::string text;
  for (const Refusal& refusal : all)
    if (std::ranges::find(omitted, refusal) == omitted.end()) text += refusal_text(refusal);
  return text.empty() ? text : concat(title, "\n", text);
}

void write_refusals(JsonWriter& writer, const std::vector<Refusal>& all) {
  writer.key("refused").begin_array();
  for (const Refusal& refusal : all) {
    writer.begin_object();
    writer.field("rule", refusal.rule).field("subject", refusal.subject).field("combinations", refusal.combinations);
    writer.field("reason", refusal.reason);
    writer.end_object();
  }
  writer.end_array();
}

void write_site(JsonWriter& writer, const SiteFacts& site, const Directive& fast_path,
                const model::HardwareProfile& profile) {
  std::vector<std::string> legal;
  for (const Directive& directive : legal_directives(site, profile)) legal.push_back(to_text(directive));
  writer.begin_object();
  writer.field("site", site.name).field("call", site.callee).field("location", site.location);
  writer.field("in_region", site.in_region).key("message_bytes");
  if (site.message_bytes)
    writer.value(*site.message_bytes);
  else
    writer.null();
  writer.field("exchange", site.exchange).field("fast_path", to_text(fast_path));
  writer.field("legal_count", legal.size()).field("legal", legal);
  write_refusals(writer, refusals(site, profile));
  writer.end_object();
}

}  // namespace

std::string space_text(const std::vector<SiteFacts>& sites, const model::HardwareProfile& profile) {
  std::vector<std::vector<Refusal>> by_site;
  by_site.reserve(sites.size());
  for (const SiteFacts& site : sites) by_site.push_back(telling_refusals(site, profile));
  std::vector<Refusal> common = common_refusals(by_site);
  Plan plan = fast_path_plan(sites, profile);
  std::string text =
      paragraph("", concat("design space of ", counted(sites.size(), "site"), " on ", topology_text(profile)), 4);
  for (size_t i = 0; i < sites.size(); ++i) {
    text += concat("\n", paragraph("", heading(sites[i]), 4), legal_text(legal_directives(sites[i], profile)));
    text += concat("  fast path: ", to_text(plan.choices[i].directive), "\n");
    text += refusals_text("  not legal, and why", by_site[i], common);
  }
  return text + refusals_text("\nnot legal at any of these sites, and why", common, {});
}

std::string space_json(const std::vector<SiteFacts>& sites, const model::HardwareProfile& profile) {
  JsonWriter writer;
  writer.begin_object();
  writer.field("profile", profile.name).field("combinations", combination_count());
  writer.key("sites").begin_array();
  Plan plan = fast_path_plan(sites, profile);
  for (size_t i = 0; i < sites.size(); ++i) write_site(writer, sites[i], plan.choices[i].directive, profile);
  writer.end_array().end_object();
  return writer.take();
}

}  // namespace cuco::space
