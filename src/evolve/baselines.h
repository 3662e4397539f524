// What a run on GPUs is measured against: the program as its user wrote it, and the same program with NCCL at its best.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/records.h"

namespace cuco::evolve {

// Limits of NCCL's CTAs that are tried, up to what the executor allows.
std::vector<uint32_t> cta_limits(uint32_t most);

// The program and, where there is one, its form with symmetric windows, each under every limit. A limit stands in the
// plan's schedule. `usual` is the limit that the program itself runs under, 0 for none: it is not tried again.
std::vector<store::Candidate> further_baselines(const store::Candidate& as_written,
                                                const std::optional<std::vector<store::File>>& with_windows,
                                                const std::vector<uint32_t>& limits, uint32_t usual);

}  // namespace cuco::evolve
