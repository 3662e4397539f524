#include "space/refusals.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"

namespace cuco::space {
namespace {

using Values = std::array<size_t, kDimensionCount>;

struct Case {
  std::string reason;
  size_t combinations = 0;
  bool covered = true;
  std::array<std::set<size_t>, kDimensionCount> values = {};  // Refused, by dimension.
};

std::string word(Dimension dimension, size_t value) {
  Directive directive;
  set_value(directive, dimension, value);
  return value_text(directive, dimension);
}

// Neighbouring sizes read better as a span.
std::string chunk_words(const std::set<size_t>& values) {
  std::vector<std::string> parts;
  for (auto first = values.begin(); first != values.end();) {
    auto last = first;
    while (std::next(last) != values.end() && *std::next(last) == *last + 1) ++last;
    parts.push_back(word(Dimension::Chunk, *first));
    if (last != first) parts.back() += concat(*first + 1 == *last ? ", " : "..", word(Dimension::Chunk, *last));
    first = std::next(last);
  }
  return join(parts, ", ");
}

std::string words(Dimension dimension, const std::set<size_t>& values) {
  if (dimension == Dimension::Chunk) return chunk_words(values);
  std::vector<std::string> parts;
  for (size_t value : values) parts.push_back(word(dimension, value));
  return join(parts, ", ");
}

std::string subject_of(const Rule& rule, const Case& refused) {
  std::vector<std::string> parts;
  for (Dimension dimension : kDimensions)
    if (rule.dimensions.contains(dimension))
      parts.push_back(words(dimension, refused.values[static_cast<size_t>(dimension)]));
  std::string first = parts.front();
  parts.erase(parts.begin());
  return parts.empty() ? first : concat(first, " with ", join(parts, " and "));
}

// Asks one rule about every combination of the dimensions that it looks at; each stands for `weight_` whole directives.
class Survey {
 public:
  Survey(const Rule& rule, const SiteFacts& site, const model::HardwareProfile& profile)
      : rule_(rule), site_(site), profile_(profile) {
    for (Dimension dimension : kDimensions)
      if (!rule.dimensions.contains(dimension)) weight_ *= value_count(dimension);
  }

  std::vector<Case> run() {
    descend(0);
    return std::move(cases_);
  }

 private:
  void descend(size_t level) {
    if (level == kDimensionCount) return ask();
    Dimension dimension = kDimensions[level];
    if (!rule_.dimensions.contains(dimension)) return descend(level + 1);
    for (size_t value = 0; value < value_count(dimension); ++value) {
      values_[level] = value;
      set_value(directive_, dimension, value);
      descend(level + 1);
    }
  }

  void ask() {
    std::optional<std::string> reason = rule_.objection({site_, directive_, profile_});
    if (!reason) return;
    auto same = std::ranges::find(cases_, *reason, &Case::reason);
    if (same == cases_.end()) same = cases_.insert(cases_.end(), Case{*reason});
    same->combinations += weight_;
    same->covered = same->covered && has_value_refused_alone();
    for (size_t level = 0; level < kDimensionCount; ++level) same->values[level].insert(values_[level]);
  }

  bool has_value_refused_alone() const {
    if (rule_.dimensions.size() == 1) return false;
    return std::ranges::any_of(site_rules(), [&](const Rule& other) {
      return other.dimensions.size() == 1 && rule_.dimensions.contains(other.dimensions.last()) &&
             other.objection({site_, directive_, profile_}).has_value();
    });
  }

  const Rule& rule_;
  const SiteFacts& site_;
  const model::HardwareProfile& profile_;
  size_t weight_ = 1;
  Values values_{};
  Directive directive_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Refusal> refusals(const SiteFacts& site, const model::HardwareProfile& profile) {
  std::vector<Refusal> all;
  for (const Rule& rule : site_rules())
    for (const Case& refused : Survey(rule, site, profile).run())
      all.push_back({rule.id, subject_of(rule, refused), refused.combinations, refused.reason, refused.covered});
  return all;
}

}  // namespace cuco::space
