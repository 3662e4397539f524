#include "base/ranges_text.h"

#include <algorithm>

#include "base/text.h"

namespace cuco {

std::string ranges_text(std::vector<int> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<std::string> parts;
  for (size_t first = 0, last = 0; first < numbers.size(); first = last + 1) {
    last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) last++;
    parts.push_back(first == last ? std::to_string(numbers[first]) : concat(numbers[first], "-", numbers[last]));
  }
  return join(parts, ", ");
}

std::string ranks_text(int rank, std::vector<int> others) {
  if (rank < 0) return "";
  if (others.empty()) return concat("rank ", rank);
  others.push_back(rank);
  return concat("ranks ", ranges_text(std::move(others)));
}

}  // namespace cuco
