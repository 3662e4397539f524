#include "evaluate/judging/precision.h"

#include <cmath>
#include <map>
#include <tuple>

#include "base/text.h"
#include "cuco/element.h"

namespace cuco::evaluate {

namespace {

// Of an expected change: more is not an error of rounding in 24 bits.
constexpr double kMissedShareMax = 0.5;
// Of an output's size: sums of thousands of terms in another order differ by less than half of it.
constexpr double kChangeLeast = 0x1.0p-16;
constexpr double kMissedElementsMax = 1.0 / 64;
constexpr double kSmoothElementsLeast = 0.5;

using CallOutputKey = std::tuple<uint32_t, uint32_t, uint32_t>;  // Rank, buffer, iteration.
using Outputs = std::map<CallOutputKey, const CapturedOutput*>;

Outputs by_key(const Capture& capture) {
  Outputs outputs;
  for (const CapturedOutput& output : capture) outputs[{output.rank, output.buffer, output.iteration}] = &output;
  return outputs;
}

// One output of one call and of its two repetitions.
struct Triple {
  const CapturedOutput *drawn = nullptr, *up = nullptr, *down = nullptr;

  static Triple find(const Outputs& outputs, CallOutputKey key, uint32_t distance) {
    auto at = [&](uint32_t repetition) {
      auto [rank, buffer, iteration] = key;
      auto found = outputs.find({rank, buffer, iteration + repetition * distance});
      return found == outputs.end() ? nullptr : found->second;
    };
    return {at(0), at(1), at(2)};
  }
  bool is_whole() const { return drawn && up && down && drawn->count == up->count && drawn->count == down->count; }
  double value(const CapturedOutput* output, uint64_t i) const {
    return load_element(static_cast<Element>(drawn->element), output->bytes.data(), i);
  }
  double size(uint64_t i) const { return std::fabs(value(drawn, i)); }
  double change_up(uint64_t i) const { return value(up, i) - value(drawn, i); }
  double change_down(uint64_t i) const { return value(down, i) - value(drawn, i); }
};

bool is_wide(const CapturedOutput& output) {
  auto element = static_cast<Element>(output.element);
  return is_floating(element) && bytes_of(element) >= 4;
}

double mean_size(const Triple& triple) {
  double sum = 0;
  for (uint64_t i = 0; i < triple.drawn->count; i++) sum += triple.size(i);
  return sum / static_cast<double>(triple.drawn->count);
}

bool misses(double expected, double seen) {
  return !(std::fabs(seen - expected) <= kMissedShareMax * std::fabs(expected));
}

struct Changes {
  uint64_t elements = 0, smooth = 0, missed = 0;

  void add(const Triple& baseline, const Triple& candidate) {
    double mean = mean_size(baseline);
    elements += baseline.drawn->count;
    for (uint64_t i = 0; i < baseline.drawn->count; i++) {
      double up = baseline.change_up(i), down = baseline.change_down(i);
      bool is_large = std::fabs(up) > kChangeLeast * std::max(mean, baseline.size(i));
      if (!is_large || misses(up, -down)) continue;
      smooth++;
      missed += misses(up, candidate.change_up(i)) || misses(down, candidate.change_down(i));
    }
  }
  bool are_missed() const {
    auto share = [](uint64_t part, uint64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); };
    return smooth > 0 && share(smooth, elements) >= kSmoothElementsLeast && share(missed, smooth) > kMissedElementsMax;
  }
};

Finding finding_of(const CapturedOutput& output, const Changes& changes) {
  Finding finding;
  finding.level = Level::Timed;
  finding.kind = "lower_precision";
  finding.rank = static_cast<int>(output.rank);
  finding.text = concat("output ", output.name, " of rank ", output.rank, ": ", changes.missed, " of ", changes.smooth,
                        " elements do not follow small changes of the inputs as the baseline's do; what the original "
                        "only moves must arrive bit for bit, unless --allow-lossy is given");
  return finding;
}

}  // namespace

std::vector<Finding> compare_changes(const Capture& baseline, const Capture& candidate,
                                     const NudgedIterations& iterations) {
  Outputs expected = by_key(baseline), seen = by_key(candidate);
  std::map<std::pair<uint32_t, uint32_t>, Changes> all;  // By rank and buffer.
  for (const auto& [key, output] : expected) {
    auto [rank, buffer, iteration] = key;
    if (iteration < iterations.first || iteration >= iterations.first + iterations.count || !is_wide(*output)) continue;
    Triple original = Triple::find(expected, key, iterations.count), own = Triple::find(seen, key, iterations.count);
    if (original.is_whole() && own.is_whole() && original.drawn->count == own.drawn->count)
      all[{rank, buffer}].add(original, own);
  }
  std::vector<Finding> findings;
  for (const auto& [place, changes] : all)
    if (changes.are_missed())
      findings.push_back(finding_of(*expected.at({place.first, place.second, iterations.first}), changes));
  return findings;
}

}  // namespace cuco::evaluate
