
// Launches in slices that wait for what they touch. A unit is all blocks with one index along the dimension of the cut;
// in launches of a shape that was traced, unit i touches `bytes` bytes from offset + i * stride behind a pointer on, or
// reads anything behind it. Launches of another shape, and those whose arguments are not as they were in the traced ones,
// run whole.
//
// Such launches are kept until somebody asks for what they write, and then go out slice by slice: all launches of slice
// 0, all of slice 1, and so on, a few slices at a time. Launched one behind the other they would all come to their end
// together, and nothing could be sent before that.
constexpr int kSlicesAtOnce = 4;
constexpr size_t kKeptMax = 64;

enum class Touch { Reads, Writes, ReadsBehind };
struct UnitUse {
  int pointer;
  Touch touch;
  int64_t offset = 0, stride = 0, bytes = 0;
};
struct UnitShape {
  int dimension;
  unsigned grain;    // Slices begin at multiples of it.
  dim3 grid, block;  // An extent of 0 is as well any other.
  std::vector<UnitUse> uses;
  bool holds = true;  // For the launch that it was made for.
};

struct KeptSlice {
  Slice slice;
  std::vector<Use> uses;
  bool is_out = false;
};
struct KeptLaunch {
  cudaStream_t home;
  std::function<void(const Slice&)> launch;
  std::vector<KeptSlice> slices;
};
inline std::vector<KeptLaunch>& kept_launches() {
  thread_local std::vector<KeptLaunch> all;
  return all;
}

inline cudaStream_t stream_of_slice(size_t slice) {
  std::vector<Mark>& all = streams_of_slices();
  while (all.size() < kSlicesAtOnce) {
    all.push_back({});
    cudaStreamCreate(&all.back().stream);
  }
  return all[slice % kSlicesAtOnce].stream;
}

// After the slices of earlier launches that touch the same bytes, of which some may not have had their turn.
inline void send_out(std::vector<KeptLaunch>& kept, size_t launch, size_t number) {
  KeptSlice& own = kept[launch].slices[number];
  if (own.is_out) return;
  own.is_out = true;
  for (size_t i = 0; i < launch; i++)
    for (size_t k = 0; k < kept[i].slices.size(); k++)
      if (!kept[i].slices[k].is_out && conflict(kept[i].slices[k].uses, own.uses)) send_out(kept, i, k);
  own.slice.stream = stream_of_slice(number);
  prepare(own.slice.stream, kept[launch].home, own.uses, nullptr, {});
  kept[launch].launch(own.slice);
  after(own.slice.stream, own.uses);
}

inline void launch_slices() {
  std::vector<KeptLaunch> kept;
  kept.swap(kept_launches());
  for (size_t k = 0; k < kSlicesMax; k++)
    for (size_t i = 0; i < kept.size(); i++)
      if (k < kept[i].slices.size()) send_out(kept, i, k);
}

// Work is queued that touches what slices touch, and nobody tells where: it comes after those before it, and those
// after it wait.
inline void pass_slices() {
  launch_slices();
  for (const auto& floor : lanes().floors) wait_for_streams_beside(floor.first);
  passed();
}

// One unit alone says nothing about where it begins.
inline bool fits(const UnitShape& shape, dim3 grid, const dim3& block) {
  bool known = shape.holds && along(grid, shape.dimension) > 1;
  for (const UnitUse& use : shape.uses) known = known && use.stride >= 0 && use.bytes >= 0;
  return known && has_shape(grid, shape.grid) && has_shape(block, shape.block);
}

inline Use use_of(const UnitUse& use, unsigned first, unsigned last, const std::vector<const void*>& pointers) {
  const char* begin = (const char*)pointers[use.pointer];
  if (use.touch == Touch::ReadsBehind) {
    Use known = use_from(begin, false);
    return {begin, known.begin < known.end ? known.end : (const char*)UINTPTR_MAX, false};
  }
  begin += use.offset + first * use.stride;
  return {begin, begin + (last - first - 1) * use.stride + use.bytes, use.touch == Touch::Writes};
}

inline std::vector<KeptSlice> slices_of(const UnitShape& shape, dim3 grid, const std::vector<const void*>& pointers) {
  std::vector<KeptSlice> slices;
  unsigned& extent = along(grid, shape.dimension);
  unsigned cuts[kSlicesMax + 1], units = extent;
  cut_units((units + shape.grain - 1) / shape.grain, kSlicesMax, cuts);
  for (unsigned& one : cuts) one = std::min(one * shape.grain, units);
  for (int i = 0; i < kSlicesMax; i++) {
    extent = cuts[i + 1] - cuts[i];
    if (extent == 0) continue;
    slices.push_back({{grid, nullptr, Blocks(shape.dimension, cuts[i], grid, units)}, {}});
    for (const UnitUse& use : shape.uses)
      slices.back().uses.push_back(use_of(use, cuts[i], cuts[i + 1], pointers));
  }
  return slices;
}

template <typename Launch>
void in_slices(const std::vector<UnitShape>& shapes, dim3 grid, dim3 block, cudaStream_t stream,
               const std::vector<const void*>& pointers, const Launch& launch) {
  for (const UnitShape& shape : shapes) {
    if (!fits(shape, grid, block)) continue;
    std::vector<KeptSlice> slices = slices_of(shape, grid, pointers);
    if (kept_launches().size() == kKeptMax) launch_slices();
    kept_launches().push_back({stream, launch, std::move(slices)});
    return;
  }
  land(stream);
  launch({grid, stream, {}});
  passed();
}
