// The launches right before sends that write what these take, and how their blocks write it, from a traced run. Where
// further sizes show the same it holds for all launches whose numbers go together as in the traced ones. Else it holds
// for those with the same grid and block, and the same of every number among their arguments that was the same in all
// of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rewrite/words.h"

namespace cuco::rewrite {

// One launch in the source.
struct SendingLaunch {
  std::string place;  // "file:line".
  std::string kernel;
  std::string obstacle;  // Why it cannot send, as the end of a sentence; empty when it can.
  // One for all its launches, also of other sizes, whose blocks fill what they write; or one for each traced shape.
  std::vector<AccessForm> forms = {};
};

// A send or receive in the source. Those of one group are one exchange.
struct PairwiseCall {
  std::string place;
  uint32_t group;  // model::kNone: the call is an exchange by itself.
};

// For the sends among these calls. Empty: no kernel comes right before one that it feeds.
std::vector<SendingLaunch> sending_launches(const AccessTrace& trace, const std::vector<PairwiseCall>& calls);

// The form of all these launches, `own` of the traced size and at least two unlike them; nothing where there is none.
std::optional<AccessForm> sized_sends(const std::vector<AccessSample>& own, const std::vector<AccessSample>& further);

}  // namespace cuco::rewrite
