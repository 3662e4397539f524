#include "evolve/lessons.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "evolve/members.h"

namespace cuco::evolve {
namespace {

constexpr size_t kLessonsMax = 6;
constexpr uint32_t kSeenMin = 2;
constexpr double kFactorMin = 0.005;  // Less than half a percent is not worth a sentence.

bool was_judged(const Member& member) { return member.plan && !member.candidate.files.empty(); }

bool compares(const TraitEffect& effect) {
  return effect.with >= kSeenMin && effect.without >= kSeenMin && std::abs(std::log(effect.factor)) >= kFactorMin;
}

double strength(const TraitEffect& effect) { return compares(effect) ? std::abs(std::log(effect.factor)) : 0; }

std::string percent(double share) { return concat(std::round(share * 1000) / 10, " %"); }

}  // namespace

void TraitStatistics::catch_up(const std::vector<Member>& members) {
  for (; known_count_ < members.size() && !members[known_count_].pending; ++known_count_) {
    const Member& member = members[known_count_];
    if (!was_judged(member)) continue;
    std::optional<double> time = time_us(member);
    auto count = [&](Tally& each) {
      ++(time ? each.passed : each.rejected);
      each.log_time += time ? std::log(*time) : 0;
    };
    count(all_);
    for (const Trait& trait : traits_of(*member.plan)) count(by_trait_[trait]);
  }
}

TraitEffect TraitStatistics::effect_of(const Trait& trait, const Tally& with, const Tally& all) {
  TraitEffect effect{trait, with.passed, all.passed - with.passed, with.rejected, 1};
  if (effect.with == 0 || effect.without == 0) return effect;
  effect.factor = std::exp(with.log_time / effect.with - (all.log_time - with.log_time) / effect.without);
  return effect;
}

// More often than programs are rejected anyway.
bool TraitStatistics::is_often_rejected(const TraitEffect& effect, const Tally& all) {
  return effect.rejected >= kSeenMin &&
         effect.rejected * (all.passed + all.rejected) > all.rejected * (effect.with + effect.rejected);
}

std::vector<TraitEffect> TraitStatistics::effects() const {
  std::vector<TraitEffect> effects;
  for (const auto& [trait, with] : by_trait_) {
    TraitEffect effect = effect_of(trait, with, all_);
    if (compares(effect) || is_often_rejected(effect, all_)) effects.push_back(effect);
  }
  std::ranges::stable_sort(effects, std::greater<>(), strength);
  return effects;
}

std::string to_text(const TraitEffect& effect) {
  std::string text = to_text(effect.trait) + ": ";
  if (compares(effect)) {
    double share = std::abs(1 - effect.factor);
    text += concat(counted(effect.with, "program"), " with it ", effect.with == 1 ? "takes " : "take ", percent(share),
                   effect.factor < 1 ? " less" : " more", " time than the ", effect.without, " without it");
  }
  if (effect.rejected == 0) return text + ".";
  return concat(text, compares(effect) ? "; " : "", effect.rejected, " of ", effect.rejected + effect.with,
                " were rejected.");
}

Result<std::vector<store::Lesson>> StatisticalLessons::write(const std::vector<Member>& members,
                                                             const std::vector<store::Lesson>&) {
  statistics_.catch_up(members);
  std::vector<store::Lesson> lessons;
  for (const TraitEffect& effect : statistics_.effects()) {
    if (lessons.size() == kLessonsMax) break;
    lessons.push_back({"statistics", to_text(effect)});
  }
  return lessons;
}

}  // namespace cuco::evolve
