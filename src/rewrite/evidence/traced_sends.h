// What a traced call sends from where.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "rewrite/words.h"

namespace cuco::rewrite {

// The messages of a call that leave from its send buffer.
struct Sent {
  uint32_t buffer = 0;
  std::vector<uint64_t> offsets;
  uint64_t bytes = 0;

  bool holds(const Footprint& print) const {
    return print.buffer == buffer && std::ranges::any_of(offsets, [&](uint64_t offset) {
             return print.begin < offset + bytes && offset < print.end();
           });
  }
};

// Nothing for a call that only receives.
std::optional<Sent> sent_by(const TracedCall& call);

}  // namespace cuco::rewrite
