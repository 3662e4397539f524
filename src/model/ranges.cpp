#include "model/ranges.h"

#include <algorithm>
#include <iterator>

#include "base/assert.h"
#include "base/text.h"

namespace cuco::model {

namespace {

// The first row that a key ends with counts.
constexpr Range kRanges[] = {
    {"sm_count", 1, 100'000},
    {"registers_per_sm", 1, 1e9},
    {"_per_sm", 1, 1e6},
    {"_per_sm_max", 1, 1e6},
    {"nodes", 1, 1 << 20},
    {"ranks_per_node", 1, 1 << 20},
    {"ranks_per_gpu", 1, 1 << 20},
    {"clock_ghz", 1e-9, 100},
    {"_tflops", 1e-9, 1e6},
    {"gflop_per_s", 1e-9, 1e6},
    {"gop_per_s", 1e-9, 1e6},
    {"gb_per_s", 1e-9, 1e6},
    {"messages_m_per_s", 1e-6, 1e6},
    {"_gib", 1e-3, 1e6},
    {"_mib", 1e-6, 1e6},
    {"efficiency", 1e-3, 2},
    {"us", 1e-6, 1e7},
    {"ms", 1e-9, 1e9},
    {"blocks", 1, 1e6},
    {"bytes", 1e-6, 1e15},
};

}  // namespace

std::string Range::text() const { return concat("a number from ", least, " to ", most); }
std::string Range::whole_text() const {
  return concat("a whole number from ", static_cast<int64_t>(least), " to ", static_cast<int64_t>(most));
}

const Range& range_of(std::string_view key) {
  const auto* found = std::ranges::find_if(kRanges, [&](const Range& each) { return key.ends_with(each.ending); });
  CUCO_ASSERT(found != std::end(kRanges));
  return *found;
}

}  // namespace cuco::model
