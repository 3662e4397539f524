#include "vcluster/runtime/recording/validity.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/assert.h"

namespace cuco::vcluster {

bool keeps_validity = false;
Validity run_validity;

namespace {

constexpr uintptr_t kGroup = 4;           // Bytes of memory that a byte of state is about.
constexpr uintptr_t kDrawnTogether = 64;  // Bytes, so that neighbours need not ask again.

// The bits of the bytes [from, to) of a group.
unsigned bits(unsigned from, unsigned to) { return (0xfu >> (kGroup - (to - from))) << from; }

// Calls visit(state of a group, mask of its bytes in the range, where they begin) for all groups of the range.
template <typename Visit>
void for_each_group(uintptr_t begin, uintptr_t end, Visit visit) {
  while (begin < end) {
    unsigned from = begin % kGroup, to = static_cast<unsigned>(std::min<uintptr_t>(kGroup, from + (end - begin)));
    visit(*shadow_at(begin), bits(from, to), begin);
    begin += to - from;
  }
}

// The same, passing over groups of which nothing is known, eight at a time: most of large memory.
template <typename Visit>
void for_each_known_group(uintptr_t begin, uintptr_t end, Visit visit) {
  constexpr uintptr_t kWord = 8 * kGroup;
  uintptr_t aligned = std::min(end, (begin + kWord - 1) / kWord * kWord);
  for_each_group(begin, aligned, visit);
  for (; aligned + kWord <= end; aligned += kWord) {
    uint64_t states = 0;
    std::memcpy(&states, shadow_at(aligned), sizeof states);
    if (states != 0) for_each_group(aligned, aligned + kWord, visit);
  }
  for_each_group(aligned, end, visit);
}

void set_state(uint8_t& state, unsigned mask, unsigned known, unsigned valid) {
  auto next = static_cast<uint8_t>((state & ~(mask | mask << 4)) | (known & mask) << 4 | (valid & mask));
  if (next != state) state = next;
}

// Ranges of the bytes that the mask has, behind what is there already.
void add_ranges(uintptr_t group, unsigned mask, std::vector<Validity::Range>& all) {
  for (unsigned i = 0; i < kGroup; i++) {
    if (!(mask >> i & 1)) continue;
    if (!all.empty() && all.back().end == group + i)
      all.back().end++;
    else
      all.push_back({group + i, group + i + 1});
  }
}

uintptr_t group_of(uintptr_t address) { return address / kGroup * kGroup; }

}  // namespace

// All of a device's at once: pages that nobody touches take no room.
void Validity::map_device(uintptr_t address) {
  auto device = static_cast<size_t>(device_of(address));
  if (device < mapped_.size() && mapped_[device]) return;
  if (device >= mapped_.size()) mapped_.resize(device + 1);
  mapped_[device] = true;
  uintptr_t base = kDeviceBase + (static_cast<uintptr_t>(device) << kDeviceShift);
  void* wanted = shadow_at(base);
  void* got = mmap(wanted, size_t{1} << (kDeviceShift - 2), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  CUCO_ASSERT(got == wanted);
}

void Validity::draw_later(const DrawnMemory& memory) {
  if (memory.begin == memory.end) return;
  forget(memory.begin, memory.end - memory.begin);
  drawn_[memory.begin] = memory;
}

void Validity::forget(uintptr_t begin, size_t bytes) {
  map_device(begin);
  cut(begin, begin + bytes);
  for_each_known_group(begin, begin + bytes,
                       [](uint8_t& state, unsigned mask, uintptr_t) { set_state(state, mask, 0, 0); });
}

std::vector<DrawnMemory> Validity::drawn_in(uintptr_t begin, uintptr_t end) {
  std::vector<DrawnMemory> found;
  auto at = drawn_.upper_bound(begin);
  if (at != drawn_.begin()) at = std::prev(at);
  for (; at != drawn_.end() && at->first < end; ++at)
    if (at->second.end > begin) found.push_back(at->second);
  return found;
}

// Of elements that lie across the ends what is outside stays as it was drawn.
void Validity::cut(uintptr_t begin, uintptr_t end) {
  for (const DrawnMemory& memory : drawn_in(begin, end)) {
    size_t element = bytes_of(memory.element);
    uintptr_t low = begin > memory.begin ? memory.begin + (begin - memory.begin) / element * element : memory.begin;
    uintptr_t high = memory.begin + (std::min(end, memory.end) - memory.begin + element - 1) / element * element;
    if (low < begin) draw_from(memory, low, low + element);
    if (high > end) draw_from(memory, high - element, high);
    drawn_.erase(memory.begin);
    if (low > memory.begin) {
      DrawnMemory before = memory;
      before.end = low;
      drawn_[before.begin] = before;
    }
    if (high < memory.end) {
      DrawnMemory after = memory;
      after.begin = high;
      after.first += (high - memory.begin) / element;
      drawn_[after.begin] = after;
    }
  }
}

bool Validity::is_known(uintptr_t begin, size_t bytes) {
  map_device(begin);
  bool known = true;
  for_each_group(begin, begin + bytes,
                 [&](const uint8_t& state, unsigned mask, uintptr_t) { known = known && (state >> 4 & mask) == mask; });
  return known;
}

// [begin, end) are whole elements of it.
void Validity::draw_from(const DrawnMemory& memory, uintptr_t begin, uintptr_t end) {
  size_t bytes = bytes_of(memory.element);
  for (uintptr_t at = begin; at < end; at += bytes) {
    if (is_known(at, bytes)) continue;
    uint64_t index = (at - memory.begin) / bytes;
    store_element(memory.element, reinterpret_cast<void*>(memory.begin), index,
                  cuco::draw(memory.distribution, memory.base, memory.first + index));
    for_each_group(at, at + bytes,
                   [](uint8_t& state, unsigned mask, uintptr_t) { set_state(state, mask, mask, mask); });
  }
}

void Validity::draw(uintptr_t begin, size_t bytes) {
  for (const DrawnMemory& memory : drawn_in(begin, begin + bytes)) {
    size_t element = bytes_of(memory.element);
    uintptr_t low = std::max(memory.begin, begin / kDrawnTogether * kDrawnTogether);
    uintptr_t high = std::min(memory.end, (begin + bytes + kDrawnTogether - 1) / kDrawnTogether * kDrawnTogether);
    low -= (low - memory.begin) % element;
    high += (memory.end - high) % element;
    draw_from(memory, low, high);
  }
}

bool Validity::is_valid(uintptr_t begin, size_t bytes) {
  provide(begin, bytes);
  bool valid = true;
  for_each_group(begin, begin + bytes,
                 [&](const uint8_t& state, unsigned mask, uintptr_t) { valid = valid && (state & mask) == mask; });
  return valid;
}

// A part of an element that is still to be drawn must not be taken for known.
void Validity::write(uintptr_t begin, size_t bytes, bool valid) {
  map_device(begin);
  for (const DrawnMemory& memory : drawn_in(begin, begin + bytes)) {
    size_t element = bytes_of(memory.element);
    if ((begin - memory.begin) % element != 0 || (begin + bytes - memory.begin) % element != 0) provide(begin, bytes);
  }
  unsigned right = valid ? 0xf : 0;
  for_each_group(begin, begin + bytes,
                 [&](uint8_t& state, unsigned mask, uintptr_t) { set_state(state, mask, 0xf, right); });
}

std::vector<Validity::Range> Validity::valid_ranges(uintptr_t begin, size_t bytes) {
  map_device(begin);
  std::vector<Range> all;
  for_each_known_group(begin, begin + bytes, [&](const uint8_t& state, unsigned mask, uintptr_t at) {
    add_ranges(group_of(at), state & mask, all);
  });
  return all;
}

std::vector<Validity::Range> Validity::ready_ranges(uintptr_t begin, size_t bytes) {
  std::vector<DrawnMemory> drawn = drawn_in(begin, begin + bytes);
  std::vector<Range> all;
  uintptr_t from = begin;
  auto add_valid = [&](uintptr_t to) {
    if (to <= from) return;
    std::vector<Range> valid = valid_ranges(from, to - from);
    all.insert(all.end(), valid.begin(), valid.end());
  };
  for (const DrawnMemory& memory : drawn) {
    uintptr_t low = std::max(begin, memory.begin), high = std::min(begin + bytes, memory.end);
    add_valid(low);
    all.push_back({low, high});
    from = high;
  }
  add_valid(begin + bytes);
  return all;
}

std::vector<Validity::Range> Validity::provided_ranges(uintptr_t begin, size_t bytes) {
  for (const DrawnMemory& memory : drawn_in(begin, begin + bytes)) {
    uintptr_t low = std::max(begin, memory.begin), high = std::min(begin + bytes, memory.end);
    draw(low, high - low);
  }
  return valid_ranges(begin, bytes);
}

namespace {

// What is left of it where nothing is known yet, in whole elements.
void add_unknown(const DrawnMemory& memory, std::vector<DrawnMemory>& all) {
  size_t element = bytes_of(memory.element);
  uintptr_t begin = memory.begin;
  auto end_at = [&](uintptr_t end) {
    if (end <= begin) return;
    DrawnMemory part = memory;
    part.first += (begin - memory.begin) / element;
    part.begin = begin;
    part.end = end;
    all.push_back(part);
  };
  for_each_known_group(memory.begin, memory.end, [&](const uint8_t& state, unsigned mask, uintptr_t at) {
    if ((state >> 4 & mask) == 0) return;
    uintptr_t low = std::max(at - (at - memory.begin) % element, memory.begin);
    uintptr_t past = at + kGroup - memory.begin;
    end_at(low);
    begin = std::max(begin, memory.begin + (past + element - 1) / element * element);
  });
  end_at(memory.end);
}

}  // namespace

TakenBytes Validity::take(uintptr_t from, size_t bytes) {
  TakenBytes taken;
  taken.size = bytes;
  for (DrawnMemory memory : drawn_in(from, from + bytes)) {
    size_t element = bytes_of(memory.element);
    uintptr_t low = std::max(from, memory.begin), high = std::min(from + bytes, memory.end);
    // Elements across the ends are drawn.
    provide(low, std::min<size_t>(element, high - low));
    provide(high - std::min<size_t>(element, high - low), std::min<size_t>(element, high - low));
    uint64_t skipped = (low - memory.begin + element - 1) / element;
    uintptr_t whole_end = memory.begin + (high - memory.begin) / element * element;
    memory.begin += skipped * element;
    memory.first += skipped;
    memory.end = std::max(memory.begin, whole_end);
    add_unknown(memory, taken.drawn);
  }
  for (DrawnMemory& memory : taken.drawn) memory.begin -= from, memory.end -= from;
  for (const Range& range : valid_ranges(from, bytes))
    taken.valid.push_back(
        {range.begin - from, std::string(reinterpret_cast<const char*>(range.begin), range.end - range.begin)});
  return taken;
}

void Validity::give(uintptr_t to, const TakenBytes& taken) {
  forget(to, taken.size);
  if (is_apart || host_is_misled) return;
  for (DrawnMemory memory : taken.drawn) {
    memory.begin += to, memory.end += to;
    drawn_[memory.begin] = memory;
  }
  for (const TakenBytes::Run& run : taken.valid) {
    std::memcpy(reinterpret_cast<void*>(to + run.offset), run.bytes.data(), run.bytes.size());
    write(to + run.offset, run.bytes.size(), true);
  }
}

}  // namespace cuco::vcluster
