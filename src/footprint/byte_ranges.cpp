#include "footprint/byte_ranges.h"

#include <algorithm>

namespace cuco::footprint {

namespace {

using model::Footprint;

void append(const Footprint& print, ByteRanges& ranges) {
  for (uint64_t i = 0; i < print.count; i++)
    ranges.push_back({print.begin + i * print.stride, print.begin + i * print.stride + print.piece_bytes});
}

}  // namespace

ByteRanges normalised(ByteRanges ranges) {
  std::ranges::sort(ranges, [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
  ByteRanges joined;
  for (const ByteRange& range : ranges) {
    if (range.begin >= range.end) continue;
    if (!joined.empty() && range.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, range.end);
    else
      joined.push_back(range);
  }
  return joined;
}

uint64_t byte_count(const ByteRanges& ranges) {
  uint64_t count = 0;
  for (const ByteRange& range : ranges) count += range.size();
  return count;
}

ByteRanges intersection(const ByteRanges& a, const ByteRanges& b) {
  ByteRanges common;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    ByteRange both{std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
    if (both.begin < both.end) common.push_back(both);
    a[i].end < b[j].end ? i++ : j++;
  }
  return common;
}

ByteRanges difference(const ByteRanges& a, const ByteRanges& b) {
  ByteRanges left;
  size_t j = 0;
  for (ByteRange range : a) {
    while (j < b.size() && b[j].end <= range.begin) j++;
    for (size_t k = j; k < b.size() && b[k].begin < range.end; k++) {
      if (range.begin < b[k].begin) left.push_back({range.begin, b[k].begin});
      range.begin = std::max(range.begin, b[k].end);
    }
    if (range.begin < range.end) left.push_back(range);
  }
  return left;
}

ByteRanges shared_bytes(const std::vector<const ByteRanges*>& sets) {
  std::vector<ByteRange> all;
  for (const ByteRanges* set : sets) all.insert(all.end(), set->begin(), set->end());
  std::ranges::sort(all, [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
  ByteRanges shared;
  uint64_t reached = 0;
  for (const ByteRange& range : all) {
    if (range.begin < reached) shared.push_back({range.begin, std::min(range.end, reached)});
    reached = std::max(reached, range.end);
  }
  return normalised(std::move(shared));
}

std::optional<ByteRanges> bytes_of(const model::TracedBlock& block, uint32_t buffer, bool written) {
  ByteRanges ranges;
  auto is_meant = [&](const Footprint& print) { return print.buffer == buffer && print.written == written; };
  for (const Footprint& print : block.pieces)
    if (is_meant(print)) append(print, ranges);
  if (!ranges.empty()) return normalised(std::move(ranges));
  for (const Footprint& print : block.footprints) {
    if (!is_meant(print)) continue;
    if (!print.exact) return std::nullopt;
    append(print, ranges);
  }
  return normalised(std::move(ranges));
}

std::vector<Progression> progressions_of(const ByteRanges& ranges) {
  std::vector<Progression> all;
  for (size_t i = 0; i < ranges.size(); i++) {
    Progression* last = all.empty() ? nullptr : &all.back();
    bool alike = last && last->first.size() == ranges[i].size();
    if (alike && last->count == 1) last->stride = ranges[i].begin - last->first.begin;
    if (alike && ranges[i].begin == last->first.begin + last->count * last->stride)
      last->count++;
    else
      all.push_back({ranges[i], ranges[i].size(), 1});
  }
  return all;
}

}  // namespace cuco::footprint
