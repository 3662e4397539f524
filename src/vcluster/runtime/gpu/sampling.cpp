#include "vcluster/runtime/gpu/sampling.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/random.h"

namespace cuco::vcluster {

namespace {

uint64_t size_of(const BlockWork& work) {
  return std::accumulate(work.counters.begin(), work.counters.end(), work.waits);
}

uint64_t between(uint64_t a, uint64_t b, double share) {
  return static_cast<uint64_t>(static_cast<double>(a) * (1 - share) + static_cast<double>(b) * share + 0.5);
}

BlockWork between(const BlockWork& a, const BlockWork& b, double share) {
  BlockWork work;
  for (size_t i = 0; i < work.counters.size(); i++) work.counters[i] = between(a.counters[i], b.counters[i], share);
  work.waits = between(a.waits, b.waits, share);
  return work;
}

}  // namespace

SampledOrder::SampledOrder(uint64_t block_count, uint64_t seed) {
  constexpr uint64_t kBlocks = BlockSample::kBlocks;
  if (block_count <= kBlocks) return;
  Random random(seed);
  for (uint64_t i = 0; i < kBlocks; i++) {
    uint64_t begin = i * block_count / kBlocks, end = (i + 1) * block_count / kBlocks;
    first_.push_back(begin + random.below(end - begin));
  }
  sorted_ = first_;
}

SampledOrder::SampledOrder(std::vector<uint64_t> first) : first_(std::move(first)), sorted_(first_) {
  std::sort(sorted_.begin(), sorted_.end());
}

uint64_t SampledOrder::block_at(uint64_t position) const {
  if (position < first_.size()) return first_[position];
  uint64_t index = position - first_.size();
  for (uint64_t taken : sorted_) index += index >= taken;
  return index;
}

void BlockSample::add(uint64_t index, const BlockWork& work) {
  auto after = [&](const Entry& entry) { return entry.index > index; };
  entries_.insert(std::find_if(entries_.begin(), entries_.end(), after), {index, work});
  if (is_complete()) summarise();
}

uint64_t BlockSample::mean_operations() const { return size_of(mean_); }

void BlockSample::summarise() {
  mean_ = {};
  for (const Entry& entry : entries_) {
    for (size_t i = 0; i < mean_.counters.size(); i++) mean_.counters[i] += entry.work.counters[i];
    mean_.waits += entry.work.waits;
  }
  for (uint64_t& count : mean_.counters) count /= entries_.size();
  mean_.waits /= entries_.size();
  auto less = [](const Entry& a, const Entry& b) { return size_of(a.work) < size_of(b.work); };
  auto greater = [&](const Entry& a, const Entry& b) { return less(b, a); };
  has_trend_ = std::is_sorted(entries_.begin(), entries_.end(), less) ||
               std::is_sorted(entries_.begin(), entries_.end(), greater);
}

BlockWork BlockSample::estimate(uint64_t index) const {
  if (!has_trend_) return mean_;
  auto after = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.index > index; });
  if (after == entries_.begin()) return after->work;
  if (after == entries_.end()) return entries_.back().work;
  const Entry& before = *std::prev(after);
  double share = static_cast<double>(index - before.index) / static_cast<double>(after->index - before.index);
  return between(before.work, after->work, share);
}

void CallSample::add(uint64_t round, uint64_t block, const BlockWork& work) {
  size_t length = static_cast<size_t>(std::bit_width(round));
  if (by_length_.size() <= length) by_length_.resize(length + 1, BlockSample(needed_));
  if (!by_length_[length].is_complete()) by_length_[length].add(index_of(round, block), work);
}

bool CallSample::is_complete(uint64_t round) const {
  size_t length = static_cast<size_t>(std::bit_width(round));
  return length < by_length_.size() && by_length_[length].is_complete();
}

BlockWork CallSample::estimate(uint64_t round, uint64_t block) const {
  return by_length_[static_cast<size_t>(std::bit_width(round))].estimate(index_of(round, block));
}

}  // namespace cuco::vcluster
