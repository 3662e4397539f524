// From the key of a run to what its ranks are given. The run's key comes from outside of the sandbox; every step from
// there is a keyed hash, so that what one rank, buffer or choice shows does not tell another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cuco/draw.h"

namespace cuco::vcluster {

// `run_key` is any text; an empty one is known to everybody.
RankKey rank_key_of(const std::string& run_key, uint32_t rank);

// For whatever else is drawn in a run; `purpose` tells the choices apart.
uint64_t keyed_seed(const std::string& run_key, std::string_view purpose);

}  // namespace cuco::vcluster
