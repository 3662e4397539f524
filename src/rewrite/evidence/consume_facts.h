// Whether the blocks of a launch can wait for just the bytes that they read of what is received, and which bytes these
// are. The traced run says it. Where further sizes show the same it holds for all launches whose numbers go together as
// in the traced ones. Else it holds for those with the same grid and block, and the same of every number among their
// arguments that was the same in all of them.
#pragma once

#include <string>
#include <vector>

#include "rewrite/words.h"

namespace cuco::rewrite {

constexpr size_t kBlockUsesMax = 8;  // As many as a launch can bring with it.

struct ConsumeFacts {
  bool reads_received = false;  // Some launch there touches what a call receives into.
  std::string obstacle;         // Why its blocks cannot wait, as the end of a sentence; empty when they can.
  std::string kernel;
  // One for all its launches, also of other sizes; or one for each traced shape of those that touch what is received.
  std::vector<AccessForm> forms = {};
  std::string unsized = {};  // Why there is none for other sizes, as the end of a sentence; of a case the obstacle.
};

// The launches at `place` ("file:line").
ConsumeFacts consume_facts(const AccessTrace& trace, const std::string& place);

}  // namespace cuco::rewrite
