#include "evolve/lessons.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "evolve/members.h"

namespace cuco::evolve {
namespace {

constexpr size_t kLessonsMax = 6;
constexpr uint32_t kSeenMin = 2;
constexpr double kFactorMin = 0.005;  // Less than half a percent is not worth a sentence.

struct Tally {
  uint32_t passed = 0, rejected = 0;
  double log_time = 0;  // Sum over those that passed.
};

struct Tallies {
  std::map<Trait, Tally> by_trait;
  Tally all;
};

bool was_judged(const Member& member) { return member.plan && !member.pending && !member.candidate.files.empty(); }

Tallies tally(const std::vector<Member>& members) {
  Tallies tallies;
  for (const Member& member : members) {
    if (!was_judged(member)) continue;
    std::optional<double> time = time_us(member);
    double log_time = time ? std::log(*time) : 0;
    auto count = [&](Tally& each) {
      ++(time ? each.passed : each.rejected);
      each.log_time += log_time;
    };
    count(tallies.all);
    for (const Trait& trait : traits_of(*member.plan)) count(tallies.by_trait[trait]);
  }
  return tallies;
}

TraitEffect effect_of(const Trait& trait, const Tally& with, const Tally& all) {
  TraitEffect effect{trait, with.passed, all.passed - with.passed, with.rejected, 1};
  if (effect.with == 0 || effect.without == 0) return effect;
  effect.factor = std::exp(with.log_time / effect.with - (all.log_time - with.log_time) / effect.without);
  return effect;
}

bool compares(const TraitEffect& effect) {
  return effect.with >= kSeenMin && effect.without >= kSeenMin && std::abs(std::log(effect.factor)) >= kFactorMin;
}

// More often than programs are rejected anyway.
bool is_often_rejected(const TraitEffect& effect, const Tally& all) {
  return effect.rejected >= kSeenMin &&
         effect.rejected * (all.passed + all.rejected) > all.rejected * (effect.with + effect.rejected);
}

double strength(const TraitEffect& effect) { return compares(effect) ? std::abs(std::log(effect.factor)) : 0; }

std::string percent(double share) { return concat(std::round(share * 1000) / 10, " %"); }

}  // namespace

std::vector<TraitEffect> trait_effects(const std::vector<Member>& members) {
  Tallies tallies = tally(members);
  std::vector<TraitEffect> effects;
  for (const auto& [trait, with] : tallies.by_trait) {
    TraitEffect effect = effect_of(trait, with, tallies.all);
    if (compares(effect) || is_often_rejected(effect, tallies.all)) effects.push_back(effect);
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
  std::vector<store::Lesson> lessons;
  for (const TraitEffect& effect : trait_effects(members)) {
    if (lessons.size() == kLessonsMax) break;
    lessons.push_back({"statistics", to_text(effect)});
  }
  return lessons;
}

}  // namespace cuco::evolve
