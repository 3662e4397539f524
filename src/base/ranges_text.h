// Numbers for people: runs of neighbours are written as ranges.
#pragma once

#include <string>
#include <vector>

namespace cuco {

// "0-3, 5" of numbers in any order.
std::string ranges_text(std::vector<int> numbers);

// "rank 3", or "ranks 0-3" when others did the same; empty for a rank below 0.
std::string ranks_text(int rank, std::vector<int> others);

}  // namespace cuco
