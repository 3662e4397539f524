#include "evolve/proposers/changed_lines.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"

namespace cuco::evolve {

namespace {

using Lines = std::vector<std::string>;

constexpr size_t kCellsMax = 4'000'000;  // Of the table of common lengths: 16 MB.

// The differing middles of two texts.
struct Middles {
  Lines before, after;
  size_t first_line = 1;  // Of `before`.
};

Middles without_common_ends(Lines before, Lines after) {
  auto ends = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  auto head = ends.first - before.begin();
  before.erase(before.begin(), ends.first);
  after.erase(after.begin(), ends.second);
  while (!before.empty() && !after.empty() && before.back() == after.back()) {
    before.pop_back();
    after.pop_back();
  }
  return {std::move(before), std::move(after), static_cast<size_t>(head) + 1};
}

// common[i][j]: how many lines before[i..] and after[j..] share in order.
class CommonLengths {
 public:
  CommonLengths(const Lines& before, const Lines& after)
      : width_(after.size() + 1), cells_((before.size() + 1) * width_, 0) {
    for (size_t i = before.size(); i-- > 0;)
      for (size_t j = after.size(); j-- > 0;)
        cells_[i * width_ + j] = before[i] == after[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  }
  uint32_t at(size_t i, size_t j) const { return cells_[i * width_ + j]; }

 private:
  size_t width_;
  std::vector<uint32_t> cells_;
};

class Listing {
 public:
  void add(char sign, const std::string& line, size_t number) {
    if (!running_) changes_.shown.push_back(concat("@ line ", number));
    running_ = true;
    changes_.shown.push_back(concat(sign, " ", line));
    ++changes_.count;
  }
  void end_run() { running_ = false; }
  ChangedLines take() { return std::move(changes_); }

 private:
  ChangedLines changes_;
  bool running_ = false;
};

void list_all(const Middles& middles, Listing& listing) {
  for (const std::string& line : middles.before) listing.add('-', line, middles.first_line);
  for (const std::string& line : middles.after) listing.add('+', line, middles.first_line);
}

void list_aligned(const Middles& middles, Listing& listing) {
  CommonLengths common(middles.before, middles.after);
  size_t i = 0, j = 0;
  while (i < middles.before.size() || j < middles.after.size()) {
    bool both = i < middles.before.size() && j < middles.after.size();
    if (both && middles.before[i] == middles.after[j]) {
      listing.end_run();
      ++i, ++j;
    } else if (j == middles.after.size() || (both && common.at(i + 1, j) >= common.at(i, j + 1))) {
      listing.add('-', middles.before[i], middles.first_line + i);
      ++i;
    } else {
      listing.add('+', middles.after[j], middles.first_line + i);
      ++j;
    }
  }
}

}  // namespace

ChangedLines changed_lines(const std::string& before, const std::string& after) {
  Middles middles = without_common_ends(split(before, '\n'), split(after, '\n'));
  Listing listing;
  bool too_long = (middles.before.size() + 1) * (middles.after.size() + 1) > kCellsMax;
  too_long ? list_all(middles, listing) : list_aligned(middles, listing);
  return listing.take();
}

}  // namespace cuco::evolve
