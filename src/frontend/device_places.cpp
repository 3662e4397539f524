#include "frontend/device_places.h"

#include <algorithm>

namespace cuco::frontend {
namespace {

// Deeper paths occur in no kernel worth analysing; the bounds make every fixpoint finite.
constexpr size_t kDereferencesMax = 4;
constexpr size_t kStepsMax = 10;

bool has_unknown_contents(const Root& root) {
  return root.kind == RootKind::Parameter || root.kind == RootKind::Global;
}

bool outlives_function(const Place& place) {
  if (place.root.kind == RootKind::Parameter) return is_reached_by_address(place);
  return place.root.kind == RootKind::Global || place.root.kind == RootKind::Shared;
}

bool is_visible_to_caller(const Place& place) {
  if (place.root.kind == RootKind::Parameter) return is_reached_by_address(place);
  return place.root.kind == RootKind::Global || place.root.kind == RootKind::Result;
}

bool is_prefix(const Place& prefix, const Place& place) {
  return prefix.root == place.root && prefix.steps.size() <= place.steps.size() &&
         std::equal(prefix.steps.begin(), prefix.steps.end(), place.steps.begin());
}

Place moved(const Place& place, const Place& from, const Place& to) {
  Place result = to;
  for (size_t i = from.steps.size(); i < place.steps.size(); ++i) result = extended(std::move(result), place.steps[i]);
  return result;
}

Places lasting(const Places& places) {
  Places result;
  for (const Place& place : places)
    if (outlives_function(place)) result.insert(place);
  return result;
}

size_t dereference_count(const Place& place) {
  return static_cast<size_t>(std::count_if(place.steps.begin(), place.steps.end(), is_dereference));
}

}  // namespace

bool is_reached_by_address(const Place& place) {
  return std::any_of(place.steps.begin(), place.steps.end(), is_dereference);
}

Place extended(Place place, std::string_view step) {
  std::vector<std::string_view>& steps = place.steps;
  if (!is_dereference(step)) {
    if (steps.size() < kStepsMax) steps.emplace_back(step);
    return place;
  }
  if (!steps.empty() && !is_dereference(steps.back())) {
    // What a field of a recursive type leads to is what the same field led to before.
    auto repeated = std::adjacent_find(steps.begin(), steps.end(), [&](std::string_view field, std::string_view next) {
      return field == steps.back() && is_dereference(next);
    });
    if (repeated != steps.end()) {
      steps.erase(repeated + 2, steps.end());
      return place;
    }
  }
  if (dereference_count(place) < kDereferencesMax) steps.emplace_back(step);
  return place;
}

Places extended(const Places& places, std::string_view step) {
  Places result;
  for (const Place& place : places) result.insert(extended(place, step));
  return result;
}

Place accessed_object(Place place) {
  auto last = std::find_if(place.steps.rbegin(), place.steps.rend(), is_dereference);
  place.steps.erase(last.base(), place.steps.end());
  return place;
}

Places without_offsets(const Places& places) {
  Places addresses;
  for (const Place& place : places)
    if (place.steps.empty() || place.steps.back() != kIntegerDereference) addresses.insert(place);
  return addresses.empty() ? places : addresses;
}

void merge(Places& into, const Places& from) { into.insert(from.begin(), from.end()); }

bool Memory::store(const Place& at, const Places& addresses) {
  if (addresses.empty()) return false;
  Places& held = stores_[at];
  size_t before = held.size();
  merge(held, addresses);
  return held.size() != before;
}

bool Memory::copy(const Place& to, const Places& from) {
  bool changed = false;
  for (const Place& source : from)
    if (source != to) changed |= copies_[to].insert(source).second;
  return changed;
}

void Memory::load_into(const Place& at, std::string_view dereference, Places& found, Places& seen) const {
  if (!seen.insert(at).second) return;
  if (has_unknown_contents(at.root)) found.insert(extended(at, dereference));
  if (auto held = stores_.find(at); held != stores_.end()) merge(found, held->second);
  Place prefix{at.root, {}};
  for (size_t length = 0;; ++length) {
    if (auto sources = copies_.find(prefix); sources != copies_.end())
      for (const Place& source : sources->second) load_into(moved(at, prefix, source), dereference, found, seen);
    if (length == at.steps.size()) break;
    prefix.steps.push_back(at.steps[length]);
  }
}

Places Memory::load(const Place& at, std::string_view dereference) const {
  Places found, seen;
  load_into(at, dereference, found, seen);
  return found;
}

Places Memory::load(const Places& at, std::string_view dereference) const {
  Places found, seen;
  for (const Place& place : at) load_into(place, dereference, found, seen);
  return found;
}

Places Memory::walk(const Place& start, const std::vector<std::string_view>& steps) const {
  Places places = {start};
  for (std::string_view step : steps) places = is_dereference(step) ? load(places, step) : extended(places, step);
  return places;
}

void Memory::copy_out(const Place& to, const Place& from, Memory& out, Seen& seen) const {
  if (!seen.insert({to, from}).second) return;
  if (has_unknown_contents(from.root)) out.copy(to, {from});
  for (const auto& [at, addresses] : stores_)
    if (is_prefix(from, at)) out.store(moved(at, from, to), lasting(addresses));
  for (const auto& [at, sources] : copies_) {
    for (const Place& source : sources) {
      if (is_prefix(from, at))
        copy_out(moved(at, from, to), source, out, seen);
      else if (is_prefix(at, from))
        copy_out(to, moved(from, at, source), out, seen);
    }
  }
}

Memory Memory::visible_to_caller() const {
  Memory out;
  Seen seen;
  for (const auto& [at, addresses] : stores_)
    if (is_visible_to_caller(at)) out.store(at, lasting(addresses));
  for (const auto& [to, sources] : copies_)
    if (is_visible_to_caller(to))
      for (const Place& source : sources) copy_out(to, source, out, seen);
  return out;
}

}  // namespace cuco::frontend
