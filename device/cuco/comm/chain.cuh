// Launches in slices that wait for what they touch. A unit is all blocks with one index along the dimension of the cut;
// in launches of a shape that was traced, unit i touches `bytes` bytes from offset + i * stride behind a pointer on, or
// reads anything behind it. Launches of another shape, and those whose arguments are not as they were in the traced
// ones, run whole.
//
// Such launches are kept until somebody asks for what they write. Those that read what one before them writes are a
// chain with it. A chain goes out slice by slice: all its launches of slice 0, all of slice 1, and so on, a few slices
// at a time. Launched one behind the other they would all come to their end together, and nothing could be sent before
// that. The next chain begins so many slices later: what the program does first is done first, and there is work for
// the GPU while a slice of it waits for a message.
#pragma once

#include <cuco/comm/overlap.cuh>
#include <cuco/comm/slices.cuh>
#include <functional>

namespace cuco::comm {

constexpr int kSlicesAtOnce = 4;
constexpr size_t kKeptMax = 64;

struct KeptSlice {
  Slice slice;
  std::vector<Use> uses;
  bool is_out = false;
};
struct KeptLaunch {
  size_t chain;
  cudaStream_t home;
  std::function<void(const Slice&)> launch;
  std::vector<KeptSlice> slices;
};
inline std::vector<KeptLaunch>& kept_launches() {
  thread_local std::vector<KeptLaunch> all;
  return all;
}

// Neighbours of one chain are on different streams, and those of the next that go out with them on others still.
inline cudaStream_t stream_of_slice(size_t chain, size_t slice) {
  std::vector<Mark>& all = streams_of_slices();
  while (all.size() < kSlicesAtOnce) {
    all.push_back({});
    cudaStreamCreate(&all.back().stream);
  }
  return all[(slice + chain * kSlicesAtOnce / 2) % kSlicesAtOnce].stream;
}

inline bool feeds(const std::vector<KeptSlice>& writers, const std::vector<KeptSlice>& readers) {
  for (const KeptSlice& writer : writers)
    for (const Use& written : writer.uses)
      for (const KeptSlice& reader : readers)
        for (const Use& read : reader.uses)
          if (written.writes && !read.writes && conflict(written, read)) return true;
  return false;
}
inline size_t chain_of(const std::vector<KeptLaunch>& kept, const std::vector<KeptSlice>& slices) {
  size_t chain_count = 0;
  for (const KeptLaunch& one : kept) chain_count = std::max(chain_count, one.chain + 1);
  for (size_t i = kept.size(); i-- > 0;)
    if (feeds(kept[i].slices, slices)) return kept[i].chain;
  return chain_count;
}

// After the slices of earlier launches that touch the same bytes, of which some may not have had their turn.
inline void send_out(std::vector<KeptLaunch>& kept, size_t launch, size_t index) {
  KeptSlice& own = kept[launch].slices[index];
  if (own.is_out) return;
  own.is_out = true;
  for (size_t i = 0; i < launch; i++)
    for (size_t k = 0; k < kept[i].slices.size(); k++)
      if (!kept[i].slices[k].is_out && conflict(kept[i].slices[k].uses, own.uses)) send_out(kept, i, k);
  own.slice.stream = stream_of_slice(kept[launch].chain, index);
  prepare(own.slice.stream, kept[launch].home, own.uses, nullptr, {});
  kept[launch].launch(own.slice);
  after(own.slice.stream, own.uses);
}

inline void launch_slices() {
  std::vector<KeptLaunch> kept;
  kept.swap(kept_launches());
  for (size_t turn = 0; turn < kSlicesMax + kept.size() * kSlicesAtOnce; turn++)
    for (size_t i = 0; i < kept.size(); i++) {
      size_t begin = kept[i].chain * kSlicesAtOnce;
      if (begin <= turn && turn - begin < kept[i].slices.size()) send_out(kept, i, turn - begin);
    }
}

// Work is queued that touches what slices touch, and nobody tells where: it comes after those before it, and those
// after it wait.
inline void wait_slices() {
  launch_slices();
  for (const auto& floor : overlap().floors) wait_for_side_streams(floor.first);
  untracked();
}

// One unit alone says nothing about where it begins.
inline bool can_be_sliced(const Shape& shape, dim3 grid, const dim3& block) {
  bool known = along(grid, shape.dimension) > 1 && shape.fits(grid, block);
  for (const Shape::Touched& one : shape.touched) known = known && one.span.stride >= 0 && one.span.bytes >= 0;
  return known;
}

inline Use use_of(const Shape::Touched& one, unsigned first, unsigned last) {
  const char* begin = one.pointer;
  if (one.span.bytes == 0) {
    Use known = use_from(begin, false);
    return {begin, known.begin < known.end ? known.end : (const char*)UINTPTR_MAX, false};
  }
  begin += one.span.offset + first * one.span.stride;
  return {begin, begin + (last - first - 1) * one.span.stride + one.span.bytes, one.writes};
}

inline std::vector<KeptSlice> slices_of(const Shape& shape, dim3 grid) {
  std::vector<KeptSlice> slices;
  unsigned cuts[kSlicesMax + 1], units = along(grid, shape.dimension);
  cut_units((units + shape.grain - 1) / shape.grain, kSlicesMax, cuts);
  for (unsigned& one : cuts) one = std::min(one * shape.grain, units);
  for (int i = 0; i < kSlicesMax; i++) {
    if (cuts[i] == cuts[i + 1]) continue;
    slices.push_back({slice_of(grid, shape.dimension, cuts[i], cuts[i + 1], nullptr), {}});
    for (const Shape::Touched& one : shape.touched) slices.back().uses.push_back(use_of(one, cuts[i], cuts[i + 1]));
  }
  return slices;
}

template <typename Launch>
void launch_in_slices(const std::vector<Shape>& shapes, dim3 grid, dim3 block, cudaStream_t stream,
                      const Launch& launch) {
  for (const Shape& shape : shapes) {
    if (!can_be_sliced(shape, grid, block)) continue;
    note_launch(kRunsInSlices, true);
    std::vector<KeptSlice> slices = slices_of(shape, grid);
    if (kept_launches().size() == kKeptMax) launch_slices();
    size_t chain = chain_of(kept_launches(), slices);
    overlap().launch_kept = launch_slices;
    kept_launches().push_back({chain, stream, launch, std::move(slices)});
    return;
  }
  note_launch(kRunsInSlices, false);
  wait_for_transfers(stream);
  launch({grid, stream, {}});
  untracked();
}

}  // namespace cuco::comm
