// What comes behind a launch that is held back until a call.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "rewrite/passes/pass.h"

namespace cuco::rewrite {

struct Followers {
  bool has_call = false;         // On one way at least.
  std::set<Index> others = {};   // Operations that have to let the launch go first.
  std::string first_other = {};  // Named for a user.
  std::string obstacle = {};
};

struct HeldFor {
  std::function<bool(Index)> is_call;  // Of operations.
  bool may_be_left_out = false;        // The launch goes on waiting past a call that is not made.
};
// What may come right after the launch.
Followers followers_of(const Work& work, const Operation& launch, const HeldFor& held_for);

// One that is held itself lets those before it go, or waits with them.
void release_before(Work& work, const std::set<Index>& operations,
                    const std::function<bool(const Operation&)>& is_held);

}  // namespace cuco::rewrite
