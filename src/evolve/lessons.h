// What the members say about the design space, by statistics: which choices go with faster programs, and which with
// programs that were rejected.
#pragma once

#include <map>

#include "evolve/axes.h"
#include "evolve/lesson_writer.h"

namespace cuco::evolve {

struct TraitEffect {
  Trait trait;
  uint32_t with = 0, without = 0;  // Members that passed.
  uint32_t rejected = 0;           // Members with it that did not.
  double factor = 1;               // Mean time with it over mean time without it, both geometric.
};

std::string to_text(const TraitEffect& effect);  // One sentence.

// Counts each member once, however often lessons are drawn.
class TraitStatistics {
 public:
  // Takes in what has been judged since the last call.
  void catch_up(const std::vector<Member>& members);

  // Those seen at least twice on both sides, or rejected at least twice and more often than others; the strongest
  // effect first.
  std::vector<TraitEffect> effects() const;

 private:
  struct Tally {
    uint32_t passed = 0, rejected = 0;
    double log_time = 0;  // Sum over those that passed.
  };

  static TraitEffect effect_of(const Trait& trait, const Tally& with, const Tally& all);
  static bool is_often_rejected(const TraitEffect& effect, const Tally& all);

  std::map<Trait, Tally> by_trait_;
  Tally all_;
  size_t known_count_ = 0;
};

class StatisticalLessons : public LessonWriter {
 public:
  Result<std::vector<store::Lesson>> write(const std::vector<Member>& members,
                                           const std::vector<store::Lesson>& earlier) override;

 private:
  TraitStatistics statistics_;
};

}  // namespace cuco::evolve
