// What the members say about the design space, by statistics: which choices go with faster programs, and which with
// programs that were rejected.
#pragma once

#include "evolve/axes.h"
#include "evolve/lesson_writer.h"

namespace cuco::evolve {

struct TraitEffect {
  Trait trait;
  uint32_t with = 0, without = 0;  // Members that passed.
  uint32_t rejected = 0;           // Members with it that did not.
  double factor = 1;               // Mean time with it over mean time without it, both geometric.
};

// Those seen at least twice on both sides, or rejected at least twice and more often than others; the strongest effect
// first.
std::vector<TraitEffect> trait_effects(const std::vector<Member>& members);

std::string to_text(const TraitEffect& effect);  // One sentence.

class StatisticalLessons : public LessonWriter {
 public:
  Result<std::vector<store::Lesson>> write(const std::vector<Member>& members,
                                           const std::vector<store::Lesson>& earlier) override;
};

}  // namespace cuco::evolve
