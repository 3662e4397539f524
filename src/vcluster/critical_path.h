// Where the time of a rank goes. Every instant of a span belongs to the first of these that is under way on the rank:
// computing, copying, communicating, launching; the rest is waiting. So what communication gets is what no compute or
// copy hides, and the parts add up to the span.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cuco::vcluster {

// A set of instants as half-open intervals. They may be added in any order.
class Intervals {
 public:
  void add(int64_t begin, int64_t end);

  // Sorted, disjoint, not touching.
  std::vector<std::pair<int64_t, int64_t>> merged() const;

 private:
  mutable std::vector<std::pair<int64_t, int64_t>> parts_;
  mutable size_t merge_at_ = 1024;  // Merged when it has grown to this, so that memory follows the merged size.
  void merge() const;
};

// How much of [begin, end) the sets cover together.
int64_t covered(const std::vector<const Intervals*>& sets, int64_t begin, int64_t end);

enum class Category : uint8_t { Compute, Copy, Communication, Launch };
constexpr size_t kCategories = 4;

// In the unit of the intervals.
struct TimeByCategory {
  int64_t compute = 0;
  int64_t copy = 0;
  int64_t exposed_communication = 0;
  int64_t launch = 0;
  int64_t wait = 0;
};

// `spans` by Category.
TimeByCategory time_by_category(const std::vector<Intervals>& spans, int64_t begin, int64_t end);

}  // namespace cuco::vcluster
