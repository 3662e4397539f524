#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "evolve/search.h"

namespace cuco::evolve {
namespace {

using Json = nlohmann::json;

constexpr std::array<const char*, 4> kSelections = {"weighted", "power-law", "beam", "uniform"};

// Calls visit(key, field) for every option that is a number or a truth, so that reading and writing cannot differ.
template <typename Options, typename Visit>
void for_each_field(Options& options, Visit visit) {
  visit("seed", options.seed);
  visit("budget_evaluations", options.budget_evaluations);
  visit("batch", options.batch);
  visit("islands", options.islands);
  visit("selection_pressure", options.selection_pressure);
  visit("explore_share", options.explore_share);
  visit("migration_interval", options.migration_interval);
  visit("lesson_interval", options.lesson_interval);
  visit("archive_capacity", options.archive_capacity);
  visit("archive_inspirations", options.archive_inspirations);
  visit("top_inspirations", options.top_inspirations);
  visit("shown_failures", options.shown_failures);
  visit("plateau", options.plateau);
  visit("bound_share", options.bound_share);
  visit("finalists", options.finalists);
  visit("novelty_max", options.novelty_max);
  visit("archive", options.archive);
  visit("two_phase", options.two_phase);
  visit("learned_order", options.learned_order);
}

void read_value(const Json& json, bool& field) { json.get_to(field); }
void read_value(const Json& json, double& field) { json.get_to(field); }
template <std::unsigned_integral T>
void read_value(const Json& json, T& field) {
  if (!json.is_number_unsigned()) throw Json::type_error::create(302, "a count is a whole number", &json);
  field = json.get<T>();
}

void read_options(const Json& json, SearchOptions& options) {
  for_each_field(options, [&](const char* key, auto& field) {
    if (json.contains(key)) read_value(json[key], field);
  });
  if (json.contains("migration_graph")) json["migration_graph"].get_to(options.migration_graph);
  if (!json.contains("selection")) return;
  auto found = std::ranges::find(kSelections, json["selection"].get<std::string>());
  if (found == kSelections.end()) throw Json::type_error::create(302, "selection is not a known one", &json);
  options.selection = static_cast<Selection>(found - kSelections.begin());
}

std::optional<std::string> objection(const SearchOptions& options) {
  if (options.budget_evaluations == 0) return "budget_evaluations is 0; a search needs at least one evaluation";
  if (options.batch == 0) return "batch is 0; a turn needs at least one proposal";
  if (options.islands == 0) return "islands is 0; a population lives on at least one";
  if (options.explore_share < 0 || options.explore_share > 1) return "explore_share is not between 0 and 1";
  if (options.archive && options.archive_capacity == 0) return "archive_capacity is 0; turn the archive off instead";
  for (const std::vector<uint32_t>& targets : options.migration_graph)
    for (uint32_t island : targets)
      if (island >= options.islands) return concat("migration_graph names island ", island, " of ", options.islands);
  return std::nullopt;
}

}  // namespace

Status check(const SearchOptions& options) {
  if (std::optional<std::string> reason = objection(options)) return Error{*std::move(reason)};
  return Done{};
}

std::string to_json(const SearchOptions& options) {
  JsonWriter json;
  json.begin_object().field("selection", kSelections[static_cast<size_t>(options.selection)]);
  for_each_field(options, [&](const char* key, const auto& field) { json.field(key, field); });
  json.key("migration_graph").begin_array();
  for (const std::vector<uint32_t>& targets : options.migration_graph) {
    json.begin_array();
    for (uint32_t island : targets) json.value(island);
    json.end_array();
  }
  json.end_array().end_object();
  return json.take();
}

Result<SearchOptions> search_options_from_json(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return Error{"the options of the search are not a JSON object"};
  SearchOptions options;
  try {
    read_options(json, options);
  } catch (const Json::exception& problem) {
    return Error{concat("the options of the search: ", problem.what())};
  }
  if (Status status = check(options); !status) return status.error();
  return options;
}

}  // namespace cuco::evolve
