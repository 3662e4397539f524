// Who draws lessons from a campaign: statistics over the design space (lessons.h), or a model.
#pragma once

#include <vector>

#include "base/result.h"
#include "evolve/proposer.h"
#include "store/records.h"

namespace cuco::evolve {

class LessonWriter {
 public:
  virtual ~LessonWriter() = default;
  // The lessons that stand after these members; they take the place of the earlier ones in what proposers are given.
  virtual Result<std::vector<store::Lesson>> write(const std::vector<Member>& members,
                                                   const std::vector<store::Lesson>& earlier) = 0;
  // What the last call of write() cost, also one that failed.
  virtual double cost_usd() const { return 0; }
};

}  // namespace cuco::evolve
