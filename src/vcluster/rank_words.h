// Words in a program's arguments that differ from rank to rank: "{rank}", "{local_rank}" and "{ranks}", which is their
// number. A program that is given its rank so is started once for each.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"

namespace cuco::vcluster {

inline bool names_ranks(const std::vector<std::string>& arguments) {
  return std::ranges::any_of(arguments, [](const std::string& each) {
    return each.find("{rank}") != each.npos || each.find("{local_rank}") != each.npos;
  });
}

inline std::string with_ranks(std::string argument, int rank, int local_rank, uint32_t rank_count) {
  argument = replace_all(std::move(argument), "{rank}", concat(rank));
  argument = replace_all(std::move(argument), "{local_rank}", concat(local_rank));
  return replace_all(std::move(argument), "{ranks}", concat(rank_count));
}

}  // namespace cuco::vcluster
