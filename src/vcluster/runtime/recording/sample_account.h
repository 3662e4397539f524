// How much of a sampled run was executed, over all kernels.
#pragma once

#include <cstdint>

namespace cuco::vcluster {

struct SampleAccount {
  uint64_t blocks_in_part = 0;  // That ran without some of their compute bodies.
  uint64_t operations = 0;      // Of all blocks, and those of them
  uint64_t stood_for = 0;       // that others were executed in place of.

  double executed_share() const {
    return operations > 0 ? 1 - static_cast<double>(stood_for) / static_cast<double>(operations) : 1;
  }
};

inline SampleAccount& sample_account() {
  static SampleAccount account;
  return account;
}

}  // namespace cuco::vcluster
