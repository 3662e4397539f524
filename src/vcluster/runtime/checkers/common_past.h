// What all know: every clock that an access from here on may be looked at with, now or once it has grown. Nobody has to
// remember it: no race with it can be found, and telling somebody of it is no news.
#pragma once

#include <vector>

#include "vcluster/runtime/checkers/actors.h"

namespace cuco::vcluster {

class CommonPast {
 public:
  // `viewpoints`: the least that each who is still at work or may yet begin knows; a null one knows nothing.
  CommonPast(const Actors& actors, const std::vector<ClockPtr>& viewpoints);

  // Whether all that the actor does is known to all.
  bool has(uint32_t actor);
  // Whether nobody learns anything from the clock. A null one says nothing.
  bool covers(const ClockPtr& clock);

 private:
  enum class Answer : uint8_t { Unasked, No, Yes };
  bool is_known_to_all(uint32_t actor) const;

  const Actors& actors_;
  std::vector<ClockPtr> viewpoints_;  // Each once.
  std::vector<uint32_t> floors_;      // By stream: how far all know it.
  std::vector<Answer> answers_;       // By actor.
};

}  // namespace cuco::vcluster
