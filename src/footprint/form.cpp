#include "footprint/form.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace cuco::footprint {

namespace {

constexpr size_t kBoxesMax = 4;

// The part of a sample that one box stands for: pieces of one size at one distance.
struct Part {
  const Sample* sample;
  ByteRange first;
  uint64_t count;
};

struct BoxParts {
  uint64_t pitch = 0;
  std::vector<Part> parts;  // Of the samples that are not empty.
};

// One way to see the samples: as many boxes as there are parts in each of them.
using Structure = std::vector<BoxParts>;

uint64_t most_common_stride(const Samples& samples) {
  std::map<uint64_t, uint64_t> votes;
  for (const Sample* sample : samples)
    for (const Progression& each : progressions_of(sample->bytes))
      if (each.count > 1) votes[each.stride] += each.count;
  auto best = std::ranges::max_element(votes, [](const auto& a, const auto& b) { return a.second < b.second; });
  return best == votes.end() ? 0 : best->first;
}

// All pieces of a sample in one box; a piece of whole rows is as many of them.
BoxParts one_box(const Samples& samples, uint64_t pitch) {
  BoxParts box{pitch, {}};
  for (const Sample* sample : samples) {
    if (sample->bytes.empty()) continue;
    ByteRange first = sample->bytes.front();
    uint64_t count = sample->bytes.size();
    bool whole_rows = pitch > 0 && count == 1 && first.size() > pitch && first.size() % pitch == 0;
    if (whole_rows) count = first.size() / pitch, first.end = first.begin + pitch;
    box.parts.push_back({sample, first, count});
  }
  return box;
}

// A box for the first part of every sample, one for the second, and so on; none when samples have unequal numbers.
template <typename PartsOf>
std::optional<Structure> box_for_each(const Samples& samples, PartsOf parts_of) {
  Structure structure;
  for (const Sample* sample : samples) {
    if (sample->bytes.empty()) continue;
    std::vector<Progression> parts = parts_of(sample->bytes);
    if (structure.empty()) structure.resize(parts.size());
    if (parts.size() != structure.size() || parts.size() > kBoxesMax) return std::nullopt;
    for (size_t i = 0; i < parts.size(); i++) {
      if (parts[i].count > 1) structure[i].pitch = parts[i].stride;
      structure[i].parts.push_back({sample, parts[i].first, parts[i].count});
    }
  }
  return structure;
}

std::vector<Progression> single_ranges(const ByteRanges& ranges) {
  std::vector<Progression> all;
  for (size_t i = 0; i < std::min(ranges.size(), kBoxesMax + 1); i++) all.push_back({ranges[i], ranges[i].size(), 1});
  return all;
}

std::vector<Structure> structures_of(const Samples& samples) {
  std::vector<Structure> all;
  bool one_piece = std::ranges::all_of(samples, [](const Sample* sample) { return sample->bytes.size() <= 1; });
  if (one_piece) all.push_back({one_box(samples, 0)});
  if (uint64_t pitch = most_common_stride(samples)) all.push_back({one_box(samples, pitch)});
  for (const std::optional<Structure>& several :
       {box_for_each(samples, progressions_of), box_for_each(samples, single_ranges)})
    if (several && several->size() > 1) all.push_back(*several);
  return all;
}

enum class Edge { Observed, ByLimit };

uint64_t origin_of(const BoxParts& box) {
  if (box.pitch == 0) return 0;
  uint64_t first = UINT64_MAX;
  for (const Part& part : box.parts) first = std::min(first, part.first.begin);
  return first % box.pitch == 0 ? 0 : first;
}

struct BoxValues {
  std::vector<PointValue> row_begin, row_end, column_begin, column_end;
};

// With Edge::ByLimit every block is taken to have pieces as large as the largest, up to the limit that cuts them.
BoxValues values_of(const BoxParts& box, uint64_t origin, const Basis& basis, Edge edge) {
  uint64_t size_max = 0;
  for (const Part& part : box.parts) size_max = std::max(size_max, part.first.size());
  BoxValues values;
  for (const Part& part : box.parts) {
    Point point = point_of(basis, part.sample->toucher);
    uint64_t offset = part.first.begin - origin, row = box.pitch ? offset / box.pitch : 0;
    uint64_t column = offset - row * box.pitch;
    auto add = [&](std::vector<PointValue>& to, uint64_t value) { to.push_back({point, static_cast<int64_t>(value)}); };
    add(values.row_begin, row);
    add(values.row_end, edge == Edge::ByLimit ? 0 : row + part.count);
    add(values.column_begin, column);
    add(values.column_end, column + (edge == Edge::ByLimit ? size_max : part.first.size()));
  }
  return values;
}

std::optional<Box> fit_box(const BoxParts& parts, const Basis& basis, Edge edge) {
  Box box;
  uint64_t origin = origin_of(parts);
  box.pitch = static_cast<int64_t>(parts.pitch), box.origin = static_cast<int64_t>(origin);
  BoxValues values = values_of(parts, origin, basis, edge);
  std::optional<Line> row_begin = fit_line(values.row_begin), row_end = fit_line(values.row_end);
  std::optional<Line> column_begin = fit_line(values.column_begin), column_end = fit_line(values.column_end);
  if (!row_begin || !row_end || !column_begin || !column_end) return std::nullopt;
  box.row_begin = *row_begin, box.row_end = *row_end;
  box.column_begin = *column_begin, box.column_end = *column_end;
  if (edge == Edge::Observed) return box;
  box.limit = 0;
  for (const Part& part : parts.parts)
    box.limit = std::max(*box.limit, static_cast<int64_t>(part.sample->bytes.back().end));
  return box;
}

int64_t last_row(const Box& box, const Point& point) {
  if (!box.limit) return value_at(box.row_end, point);
  return (*box.limit - std::min(*box.limit, box.origin) + box.pitch - 1) / box.pitch;
}

void append(const Box& box, const Point& point, ByteRanges& ranges) {
  int64_t begin = value_at(box.column_begin, point), end = value_at(box.column_end, point);
  int64_t last = box.pitch ? last_row(box, point) : 1;
  for (int64_t row = box.pitch ? value_at(box.row_begin, point) : 0; row < last; row++) {
    int64_t base = box.origin + row * box.pitch;
    ByteRange range{static_cast<uint64_t>(base + begin), static_cast<uint64_t>(base + end)};
    if (box.limit) range.end = std::min(range.end, static_cast<uint64_t>(*box.limit));
    if (begin < end && base + begin >= 0 && range.begin < range.end) ranges.push_back(range);
  }
}

std::optional<Form> fit_form(const Structure& structure, const Basis& basis, Edge edge, const Samples& samples) {
  Form form{basis, {}};
  for (const BoxParts& parts : structure)
    if (std::optional<Box> box = fit_box(parts, basis, edge)) form.boxes.push_back(*box);
  bool fits = form.boxes.size() == structure.size() && is_exact(form, samples);
  return fits ? std::optional(form) : std::nullopt;
}

// Where the first bytes of blocks in their linear order begin to go another way: rows of tiles end there.
std::set<int64_t> divisors_of(const Samples& samples) {
  std::set<int64_t> divisors;
  const Toucher& first = samples.front()->toucher;
  std::vector<ByteRange> begins;
  for (const Sample* sample : samples)
    if (sample->toucher.rank == first.rank && sample->toucher.round == first.round && !sample->bytes.empty())
      begins.push_back(sample->bytes.front());
  for (uint64_t i = 2; i < begins.size(); i++)
    if (begins[i].begin - begins[i - 1].begin != begins[1].begin - begins[0].begin) {
      divisors.insert(static_cast<int64_t>(i));
      break;
    }
  for (uint64_t i = 1; i < begins.size() && divisors.size() < 2; i++)
    if (begins[i].begin != begins[0].begin) divisors.insert(i > 1 ? static_cast<int64_t>(i) : 2);
  return divisors;
}

// Rings and double buffers: what rank and round do together, modulo the number of ranks or 2.
std::vector<Basis> modular_bases(const Samples& samples, int64_t divisor) {
  uint32_t ranks = 1, rounds = 1;
  for (const Sample* sample : samples)
    ranks = std::max(ranks, sample->toucher.rank + 1), rounds = std::max(rounds, sample->toucher.round + 1);
  std::vector<Basis> bases;
  for (uint32_t shift = 0; ranks > 1 && shift < ranks; shift++)
    for (int rank_sign : {1, -1})
      for (int round_sign : {0, 1, -1})
        if (round_sign == 0 || rounds > 1) bases.push_back({divisor, ranks, rank_sign, round_sign, shift});
  if (rounds > 2) bases.push_back({divisor, 2, 0, 1, 0});
  if (rounds > ranks && ranks > 1) bases.push_back({divisor, ranks, 0, 1, 0});
  return bases;
}

std::vector<Basis> bases_of(const Samples& samples) {
  std::vector<Basis> bases = {Basis{}};
  std::set<int64_t> divisors = divisors_of(samples);
  for (int64_t divisor : divisors) bases.push_back({divisor});
  divisors.insert(0);
  for (int64_t divisor : divisors)
    for (const Basis& basis : modular_bases(samples, divisor)) bases.push_back(basis);
  return bases;
}

bool is_like(const Structure& structure, const Form& pattern) {
  if (structure.size() != pattern.boxes.size()) return false;
  for (size_t i = 0; i < structure.size(); i++)
    if ((structure[i].pitch == 0) != (pattern.boxes[i].pitch == 0)) return false;
  return true;
}

std::string text_of(const Toucher& toucher) {
  return concat("block (", toucher.block[0], ",", toucher.block[1], ",", toucher.block[2], ")");
}

std::string why_not(const Samples& samples) {
  size_t parts_of_first = 0;
  std::set<uint64_t> strides;
  for (const Sample* sample : samples) {
    std::vector<Progression> parts = progressions_of(sample->bytes);
    if (parts_of_first == 0) parts_of_first = parts.size();
    for (const Progression& each : parts)
      if (each.count > 1) strides.insert(each.stride);
    if (parts.size() > kBoxesMax || (parts.size() > 1 && parts.size() != parts_of_first))
      return concat(text_of(sample->toucher), " touches ", sample->bytes.size(), " pieces of unequal size or distance");
  }
  if (strides.size() > 1 && parts_of_first == 1) return "the distance of pieces differs from block to block";
  return "where blocks begin or end is no affine function of their index, rank and round";
}

}  // namespace

ByteRanges bytes_of(const Form& form, const Toucher& toucher) {
  ByteRanges ranges;
  Point point = point_of(form.basis, toucher);
  for (const Box& box : form.boxes) append(box, point, ranges);
  return normalised(std::move(ranges));
}

bool is_exact(const Form& form, const Samples& samples) {
  return std::ranges::all_of(samples,
                             [&](const Sample* sample) { return bytes_of(form, sample->toucher) == sample->bytes; });
}

Folded fold(const Samples& samples) {
  if (samples.empty()) return {std::nullopt, "no block was traced"};
  std::vector<Structure> structures = structures_of(samples);
  for (const Basis& basis : bases_of(samples))
    for (const Structure& structure : structures)
      for (Edge edge : {Edge::Observed, Edge::ByLimit})
        if (std::optional<Form> form = fit_form(structure, basis, edge, samples)) return {form, ""};
  return {std::nullopt, why_not(samples)};
}

Folded fold_like(const Samples& samples, uint32_t rank_count, const Form& pattern, uint32_t pattern_rank_count) {
  Basis basis = pattern.basis;
  if (basis.modulus == int64_t{pattern_rank_count} && basis.rank_sign != 0) {
    bool is_negative = basis.shift > basis.modulus / 2;
    basis.shift = is_negative ? rank_count - (basis.modulus - basis.shift) % rank_count : basis.shift;
    basis.modulus = rank_count;
  }
  Edge edge = pattern.boxes.front().limit ? Edge::ByLimit : Edge::Observed;
  std::set<int64_t> divisors = {0};
  if (basis.divisor != 0) divisors = divisors_of(samples);
  for (const Structure& structure : structures_of(samples)) {
    if (!is_like(structure, pattern)) continue;
    for (int64_t divisor : divisors) {
      basis.divisor = divisor;
      if (std::optional<Form> form = fit_form(structure, basis, edge, samples)) return {form, ""};
    }
  }
  return {std::nullopt, "no form of the same kind fits"};
}

}  // namespace cuco::footprint
