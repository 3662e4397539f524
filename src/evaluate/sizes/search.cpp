#include "evaluate/sizes/search.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

namespace cuco::evaluate {

namespace {

using Numbers = std::vector<size_t>;

constexpr size_t kLeastSizes = 3;

int log2_of(int64_t value) { return static_cast<int>(std::bit_width(static_cast<uint64_t>(value))) - 1; }

// How often a number can be halved.
int exponent_max(int64_t value) { return value < 2 * kLeastValue ? 0 : log2_of(value / kLeastValue); }

int exponent_max(const SizeValues& values, const Numbers& numbers) {
  int most = 0;
  for (size_t number : numbers) most = std::max(most, exponent_max(values[number]));
  return most;
}

// What is not divided exactly keeps a power of two that its size allows: of 1000, with a factor 8, comes 64, then 32.
int64_t divided_one(int64_t value, int exponent) {
  exponent = std::min(exponent, exponent_max(value));
  int64_t divisor = int64_t{1} << exponent;
  if (value % divisor == 0) return value / divisor;
  int64_t rough = (value + divisor - 1) / divisor;
  int own = std::countr_zero(static_cast<uint64_t>(value));
  int64_t grain = int64_t{1} << std::min(own, std::max(0, log2_of(rough) - 1));
  return (rough + grain - 1) / grain * grain;
}

class Search {
 public:
  Search(const SizeSearch& search, const TrySize& try_size) : search_(search), try_size_(try_size) {}

  FoundSizes run(uint64_t case_operations) {
    case_operations_ = case_operations;
    if (case_operations <= search_.operations_goal && is_same(search_.of_case))
      base_ = search_.of_case;
    else if (shrink_together() || shrink_apart())
      give_back(), shrink_one_by_one();
    if (base_) add_around();
    return std::move(found_);
  }

 private:
  // Work seldom grows faster than with the squares of numbers.
  bool is_hopeless(const SizeValues& values) const {
    double operations = static_cast<double>(case_operations_);
    for (size_t i = 0; i < values.size(); i++) {
      double factor = static_cast<double>(values[i]) / static_cast<double>(search_.of_case[i]);
      operations *= factor * factor;
    }
    return operations > kHopeless;
  }

  const TriedSize* attempt(const SizeValues& values) {
    static const TriedSize kTooLarge = {"it would take too long", 0, true};
    if (is_hopeless(values)) return &kTooLarge;
    auto known = tried_.find(values);
    if (known == tried_.end()) {
      if (tried_.size() >= search_.tries_max) return nullptr;
      known = tried_.emplace(values, try_size_(values)).first;
    }
    if (!known->second.fault.empty()) found_.fault = known->second.fault, found_.tried = values;
    return &known->second;
  }
  bool is_same(const SizeValues& values) {
    const TriedSize* tried = attempt(values);
    return tried && tried->fault.empty();
  }
  uint64_t operations() const { return tried_.at(*base_).operations; }
  bool is_small() const { return operations() <= search_.operations_goal; }

  // The groups that were given, and each without its smallest numbers: these select more often than they scale.
  std::vector<Numbers> groups() const {
    std::vector<Numbers> all;
    for (Numbers group : search_.groups) {
      std::ranges::stable_sort(group, std::greater<>(), [&](size_t i) { return search_.of_case[i]; });
      for (; !group.empty(); group.pop_back()) all.push_back(group);
    }
    return all;
  }

  bool shrink_together() {
    for (const Numbers& group : groups())
      if (shrink_group(group)) return true;
    return false;
  }

  // From small to large: a size that the program refuses costs little.
  bool shrink_group(const Numbers& group) {
    int last = exponent_max(search_.of_case, group) + 1;
    for (int exponent = last - 1; exponent > 0;) {
      const TriedSize* tried = attempt(divided(search_.of_case, group, exponent));
      if (!tried) return false;
      if (tried->fault.empty() || tried->too_large) return take_smallest(group, exponent, last);
      last = exponent;
      exponent = next_exponent(exponent, *tried);
    }
    return false;
  }

  // Where work is dear already, no size is left out on the way up.
  int next_exponent(int exponent, const TriedSize& tried) const {
    if (exponent == 1) return 0;
    if (!tried.builds) return exponent / 2;
    return std::max(1, exponent - (tried.operations > search_.operations_goal ? 1 : 2));
  }

  // The first that does between the two.
  bool take_smallest(const Numbers& group, int exponent, int last) {
    for (int smaller = last - 1; smaller >= exponent && !base_; smaller--)
      if (SizeValues values = divided(search_.of_case, group, smaller); is_same(values)) base_ = values;
    return base_.has_value();
  }

  // Where numbers do not go together down to a size that can be run: one is as large as it has to be, the others are as
  // small as they can be.
  bool shrink_apart() {
    for (const Numbers& group : groups()) {
      SizeValues smallest = divided(search_.of_case, group, exponent_max(search_.of_case, group));
      for (size_t number : group)
        if (raise(number, smallest)) return true;
    }
    return false;
  }

  bool raise(size_t number, SizeValues values) {
    for (int exponent = exponent_max(search_.of_case[number]) - 1; exponent >= 0; exponent--) {
      values[number] = divided_one(search_.of_case[number], exponent);
      const TriedSize* tried = attempt(values);
      if (!tried || tried->too_large || !tried->builds) return false;
      if (tried->fault.empty()) return base_ = values, true;
    }
    return false;
  }

  // Group by group, larger numbers first, then those that say how often.
  Numbers one_by_one() const {
    Numbers order;
    auto add = [&](Numbers numbers) {
      std::ranges::stable_sort(numbers, std::greater<>(), [&](size_t i) { return (*base_)[i]; });
      for (size_t number : numbers)
        if (std::ranges::find(order, number) == order.end()) order.push_back(number);
    };
    for (const Numbers& group : search_.groups) add(group);
    add(search_.repeats);
    return order;
  }

  void shrink_one_by_one() {
    for (size_t number : one_by_one())
      if (!is_small() && std::ranges::find(kept_, number) == kept_.end()) shrink_one(number);
  }

  void shrink_one(size_t number) {
    SizeValues start = *base_;
    uint64_t before = operations();
    int good = 0, bad = exponent_max(start[number]) + 1;
    while (bad - good > 1 && !is_small()) {
      int middle = (good + bad) / 2;
      SizeValues values = divided(start, {number}, middle);
      bool same = is_same(values);
      // A number that makes no difference does not scale: it stays.
      if (same && tried_.at(values).operations > before - before / 10) return void(base_ = start);
      (same ? good : bad) = middle;
      if (same) base_ = values;
    }
  }

  // A number that makes hardly any difference to the work when it is doubled does not scale it.
  void give_back() {
    for (size_t number = 0; number < base_->size(); number++) {
      int64_t own = search_.of_case[number];
      if ((*base_)[number] == own) continue;
      SizeValues values = *base_;
      values[number] = std::min(own, 2 * values[number]);
      if (!is_no_dearer(values)) continue;
      values[number] = own;
      if (!is_no_dearer(values)) continue;
      base_ = values;
      kept_.push_back(number);
    }
  }
  bool is_no_dearer(const SizeValues& values) {
    return is_same(values) && tried_.at(values).operations <= operations() + operations() / 10;
  }

  Numbers shrunk() const {
    Numbers numbers;
    for (size_t i = 0; i < base_->size(); i++)
      if ((*base_)[i] != search_.of_case[i]) numbers.push_back(i);
    return numbers.empty() && !search_.groups.empty() ? search_.groups.front() : numbers;
  }

  // One of each kind, and more until there are enough.
  void add_around() {
    found_.sizes = {*base_};
    std::vector<std::vector<SizeValues>> kinds = sizes_around(*base_, shrunk());
    for (const std::vector<SizeValues>& kind : kinds) add_first(kind);
    for (size_t before = 0; found_.sizes.size() < kLeastSizes && before < found_.sizes.size();) {
      before = found_.sizes.size();
      for (const std::vector<SizeValues>& kind : kinds) add_first(kind);
    }
  }

  void add_first(const std::vector<SizeValues>& kind) {
    for (const SizeValues& values : kind)
      if (std::ranges::find(found_.sizes, values) == found_.sizes.end() && is_same(values))
        return found_.sizes.push_back(values);
  }

  static constexpr double kHopeless = 2e9;

  const SizeSearch& search_;
  const TrySize& try_size_;
  std::map<SizeValues, TriedSize> tried_;
  std::optional<SizeValues> base_;
  Numbers kept_;  // That do not scale.
  FoundSizes found_;
  uint64_t case_operations_ = 0;
};

bool is_even(int64_t value) { return value % 2 == 0; }

}  // namespace

SizeValues divided(const SizeValues& values, const std::vector<size_t>& numbers, int exponent) {
  SizeValues smaller = values;
  for (size_t number : numbers) smaller[number] = divided_one(values[number], exponent);
  return smaller;
}

std::vector<std::vector<SizeValues>> sizes_around(const SizeValues& values, const std::vector<size_t>& numbers) {
  std::vector<std::vector<SizeValues>> kinds;
  auto add_kind = [&](auto change) {
    std::vector<SizeValues>& kind = kinds.emplace_back();
    auto add = [&](const Numbers& changed) {
      SizeValues other = values;
      for (size_t number : changed) other[number] = change(other[number]);
      if (other != values && std::ranges::find(kind, other) == kind.end()) kind.push_back(other);
    };
    add(numbers);
    for (size_t number : numbers) add({number});
  };
  add_kind([](int64_t value) { return is_even(value) ? value / 2 * 3 : value; });
  add_kind([](int64_t value) { return is_even(value) ? value + 1 : value + 2; });
  add_kind([](int64_t value) { return 2 * value; });
  return kinds;
}

FoundSizes find_sizes(const SizeSearch& search, uint64_t case_operations, const TrySize& try_size) {
  return Search(search, try_size).run(case_operations);
}

}  // namespace cuco::evaluate
