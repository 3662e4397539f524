#include "frontend/value.h"

#include <algorithm>

#include "base/text.h"

namespace cuco::frontend {

namespace {

constexpr const char* kAnyElement = "[*]";

// Whether the paths can name the same part, where any index meets "[*]".
bool paths_meet(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (a.front() == '[' && b.front() == '[') {
      size_t a_end = a.find(']'), b_end = b.find(']');
      std::string_view a_index = a.substr(0, a_end + 1), b_index = b.substr(0, b_end + 1);
      if (a_index != b_index && a_index != kAnyElement && b_index != kAnyElement) return false;
      a.remove_prefix(a_end + 1);
      b.remove_prefix(b_end + 1);
    } else {
      if (a.front() != b.front()) return false;
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.empty() && b.empty();
}

bool has_any_element(const Place& place) { return place.path.find(kAnyElement) != std::string::npos; }

}  // namespace

Place Place::element(std::optional<int64_t> index) const {
  return {root, index ? concat(path, "[", *index, "]") : path + kAnyElement};
}

Value number_value(model::Symbolic number) { return {{}, std::move(number), {}, {}, false}; }

Value pointer_to(Place place) {
  Value value;
  value.targets.push_back({TargetKind::Place, model::kNone, {}, std::move(place), nullptr});
  return value;
}

Value handle_value(TargetKind kind, model::Index index) {
  Value value;
  value.targets.push_back({kind, index, {}, {}, nullptr});
  return value;
}

std::vector<Place> pointed_places(const Value& value) {
  std::vector<Place> places;
  for (const Target& target : value.targets)
    if (target.kind == TargetKind::Place) places.push_back(target.place);
  return places;
}

std::vector<Target> buffer_targets(const Value& value) {
  std::vector<Target> buffers;
  for (const Target& target : value.targets)
    if (target.kind == TargetKind::Buffer) buffers.push_back(target);
  return buffers;
}

const Target* find_target(const Value& value, TargetKind kind) {
  for (const Target& target : value.targets)
    if (target.kind == kind) return &target;
  return nullptr;
}

Value join(const Value& a, const Value& b) {
  Value joined = a;
  for (const Target& target : b.targets)
    if (std::find(a.targets.begin(), a.targets.end(), target) == a.targets.end()) joined.targets.push_back(target);
  if (a.number != b.number) joined.number.reset();
  if (!joined.object) joined.object = b.object;
  if (a.text != b.text) joined.text.clear();
  joined.varies = a.varies || b.varies;
  return joined;
}

std::optional<Value> Memory::load(const Place& place) const {
  std::optional<Value> found;
  auto add = [&](const Value& value) { found = found ? frontend::join(*found, value) : value; };
  if (place.path.find('[') == std::string::npos) {
    auto exact = values_.find(place);
    if (exact != values_.end()) add(exact->second);
    return found;
  }
  for (auto it = values_.lower_bound({place.root, ""}); it != values_.end() && it->first.root == place.root; ++it)
    if (paths_meet(it->first.path, place.path)) add(it->second);
  return found;
}

void Memory::store(const Place& place, const Value& value) {
  auto [slot, fresh] = values_.emplace(place, value);
  if (!fresh) slot->second = has_any_element(place) ? frontend::join(slot->second, value) : value;
}

void Memory::copy_object(const Place& from, const Place& to) {
  std::vector<std::pair<Place, Value>> parts;
  for (auto it = values_.lower_bound(from); it != values_.end() && it->first.root == from.root; ++it)
    if (it->first.path.starts_with(from.path))
      parts.push_back({{to.root, to.path + it->first.path.substr(from.path.size())}, it->second});
  for (auto& [place, value] : parts) store(place, value);
}

void Memory::forget(const Place& place) {
  auto it = values_.lower_bound(place);
  while (it != values_.end() && it->first.root == place.root && it->first.path.starts_with(place.path))
    it = values_.erase(it);
}

void Memory::forget_roots(uint32_t first, uint32_t past_last) {
  values_.erase(values_.lower_bound({first, ""}), values_.lower_bound({past_last, ""}));
}

void Memory::join(const Memory& other) {
  for (const auto& [place, value] : other.values_) {
    auto [slot, fresh] = values_.emplace(place, value);
    if (!fresh) slot->second = frontend::join(slot->second, value);
  }
}

}  // namespace cuco::frontend
