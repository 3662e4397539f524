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

bool has_any_element(const HostPlace& place) { return place.path.find(kAnyElement) != std::string::npos; }

}  // namespace

HostPlace HostPlace::element(std::optional<int64_t> index) const {
  return {root, index ? concat(path, "[", *index, "]") : path + kAnyElement};
}

Value number_value(model::Symbolic number) { return {{}, std::move(number), {}, {}, false}; }

Value pointer_to(HostPlace place) {
  Value value;
  value.targets.push_back({TargetKind::Place, model::kNone, {}, std::move(place), nullptr});
  return value;
}

Value handle_value(TargetKind kind, model::Index index) {
  Value value;
  value.targets.push_back({kind, index, {}, {}, nullptr});
  return value;
}

std::vector<HostPlace> pointed_places(const Value& value) {
  std::vector<HostPlace> places;
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

Value either_of(const Value& a, const Value& b) {
  Value joined = a;
  for (const Target& target : b.targets)
    if (std::find(a.targets.begin(), a.targets.end(), target) == a.targets.end()) joined.targets.push_back(target);
  if (a.number != b.number) joined.number.reset();
  if (!joined.object) joined.object = b.object;
  if (a.text != b.text) joined.text.clear();
  joined.varies = a.varies || b.varies;
  return joined;
}

std::optional<Value> HostMemory::load(const HostPlace& place) const {
  std::optional<Value> found;
  auto root = roots_.find(place.root);
  if (root == roots_.end()) return found;
  auto add = [&](const Value& value) { found = found ? either_of(*found, value) : value; };
  if (place.path.find('[') == std::string::npos) {
    auto exact = root->second->find(place.path);
    if (exact != root->second->end()) add(exact->second);
    return found;
  }
  for (const auto& [path, value] : *root->second)
    if (paths_meet(path, place.path)) add(value);
  return found;
}

HostMemory::Parts& HostMemory::own_parts(uint32_t root) {
  std::shared_ptr<Parts>& parts = roots_[root];
  if (!parts)
    parts = std::make_shared<Parts>();
  else if (parts.use_count() > 1)
    parts = std::make_shared<Parts>(*parts);
  return *parts;
}

void HostMemory::store(const HostPlace& place, const Value& value) {
  auto [slot, fresh] = own_parts(place.root).emplace(place.path, value);
  if (!fresh) slot->second = has_any_element(place) ? either_of(slot->second, value) : value;
}

void HostMemory::copy_object(const HostPlace& from, const HostPlace& to) {
  auto root = roots_.find(from.root);
  if (root == roots_.end()) return;
  std::vector<std::pair<HostPlace, Value>> parts;
  for (const auto& [path, value] : *root->second)
    if (path.starts_with(from.path)) parts.push_back({{to.root, to.path + path.substr(from.path.size())}, value});
  for (auto& [place, value] : parts) store(place, value);
}

void HostMemory::forget(const HostPlace& place) {
  if (!roots_.contains(place.root)) return;
  std::erase_if(own_parts(place.root), [&](const auto& part) { return part.first.starts_with(place.path); });
}

void HostMemory::forget_roots(uint32_t first, uint32_t past_last) {
  roots_.erase(roots_.lower_bound(first), roots_.lower_bound(past_last));
}

std::vector<HostPlace> HostMemory::holders_of(const HostPlace& place) const {
  std::vector<HostPlace> holders;
  for (const auto& [root, parts] : roots_)
    for (const auto& [path, value] : *parts)
      if (std::ranges::count(pointed_places(value), place) > 0) holders.push_back({root, path});
  return holders;
}

void HostMemory::join(const HostMemory& other) {
  for (const auto& [root, parts] : other.roots_) {
    auto [own, fresh] = roots_.emplace(root, parts);
    if (fresh || own->second == parts) continue;
    Parts& joined = own_parts(root);
    for (const auto& [path, value] : *parts) {
      auto [slot, is_new] = joined.emplace(path, value);
      if (!is_new) slot->second = either_of(slot->second, value);
    }
  }
}

}  // namespace cuco::frontend
