#include "evaluate/judging/sampled_results.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "cuco/element.h"
#include "evaluate/judging/judge.h"

namespace cuco::evaluate {

namespace {

constexpr size_t kPlacesOfBufferMax = 16;

struct BufferName {
  uint32_t rank, buffer;
  bool is_scratch;

  auto operator<=>(const BufferName&) const = default;
};
using Parts = std::vector<const CapturedOutput*>;  // By where they begin.

std::map<BufferName, Parts> by_buffer(const Capture& capture) {
  std::map<BufferName, Parts> all;
  for (const CapturedOutput& output : capture)
    if (output.is_part) all[{output.rank, output.buffer, output.is_scratch}].push_back(&output);
  for (auto& [name, parts] : all)
    std::sort(parts.begin(), parts.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  return all;
}

uint64_t end_of(const CapturedOutput& part) { return part.first + part.count; }

// The elements [first, end) of a part that has them.
CapturedOutput cut_out(const CapturedOutput& part, uint64_t first, uint64_t end) {
  size_t element = bytes_of(static_cast<Element>(part.element));
  CapturedOutput cut = part;
  cut.first = first;
  cut.count = end - first;
  cut.bytes = part.bytes.substr((first - part.first) * element, cut.count * element);
  return cut;
}

struct Common {
  uint64_t value_count = 0, wrong_count = 0;
  std::string first;

  void add(const CapturedOutput& baseline, const CapturedOutput& candidate) {
    uint64_t first_index = std::max(baseline.first, candidate.first);
    uint64_t end = std::min(end_of(baseline), end_of(candidate));
    Mismatch wrong = mismatch_of(cut_out(baseline, first_index, end), cut_out(candidate, first_index, end));
    if (wrong_count == 0) first = wrong.first;
    value_count += end - first_index;
    wrong_count += wrong.count;
  }
};

Common compare_buffer(const Parts& baseline, const Parts& candidate) {
  Common common;
  for (size_t i = 0, k = 0; i < baseline.size() && k < candidate.size();) {
    bool overlap = baseline[i]->first < end_of(*candidate[k]) && candidate[k]->first < end_of(*baseline[i]);
    if (overlap && baseline[i]->element == candidate[k]->element) common.add(*baseline[i], *candidate[k]);
    end_of(*baseline[i]) < end_of(*candidate[k]) ? i++ : k++;
  }
  return common;
}

}  // namespace

SampledComparison compare_parts(const Capture& baseline, const Capture& candidate) {
  SampledComparison result;
  std::map<BufferName, Parts> found = by_buffer(candidate);
  for (const auto& [name, parts] : by_buffer(baseline)) {
    if (name.is_scratch) continue;
    Common common = compare_buffer(parts, found[name]);
    result.value_count += common.value_count;
    if (common.wrong_count == 0) continue;
    Finding finding;
    finding.level = Level::Timed;
    finding.kind = "wrong_result";
    finding.rank = static_cast<int>(name.rank);
    finding.text =
        concat("at full size output ", parts[0]->name, " of rank ", name.rank, ": ", common.first, "; ",
               common.wrong_count, " of ", common.value_count, " values that sampled blocks computed differ");
    result.findings.push_back(finding);
  }
  return result;
}

std::vector<vcluster::WantedPlace> places_of(const Capture& parts) {
  std::vector<vcluster::WantedPlace> places;
  for (const auto& [name, all] : by_buffer(parts)) {
    size_t count = std::min(all.size(), kPlacesOfBufferMax);
    for (size_t i = 0; i < count; i++)
      places.push_back({name.rank, name.buffer, name.is_scratch, all[i * all.size() / count]->first});
  }
  return places;
}

}  // namespace cuco::evaluate
