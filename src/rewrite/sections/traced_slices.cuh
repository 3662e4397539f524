
// A launch in slices that wait for what they touch. A unit is all blocks with one index along the dimension of the cut;
// in launches whose blocks and other dimensions are those that were traced, unit i touches `bytes` bytes from offset +
// i * stride behind a pointer on, or reads anything behind it. Slice k has a stream of its own, the same in all such
// launches, so that it goes on with slice k of the launch before and leaves the others alone. Launches of another shape
// run whole.
enum class Touch { Reads, Writes, ReadsBehind };
struct UnitUse {
  int pointer;
  Touch touch;
  size_t offset = 0, stride = 0, bytes = 0;
};
struct UnitShape {
  int dimension;
  unsigned grain;  // Slices begin at multiples of it.
  dim3 grid, block;
  std::vector<UnitUse> uses;
};

// Earlier slices go first, so that they do not run all at once.
inline cudaStream_t stream_of_slice(int slice) {
  std::vector<Mark>& all = streams_of_slices();
  int least = 0, greatest = 0;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  while ((int)all.size() <= slice) {
    int priority = greatest + 1 + (int)all.size();
    all.push_back({});
    cudaStreamCreateWithPriority(&all.back().stream, cudaStreamDefault, priority < least ? priority : least);
  }
  return all[slice].stream;
}

// Work is queued that touches what slices touch, and nobody tells where: it comes after those before it, and those
// after it wait.
inline void pass_slices() {
  for (const auto& floor : lanes().floors) wait_for_streams_beside(floor.first);
  passed();
}

class TracedSlices {
 public:
  TracedSlices(const std::vector<UnitShape>& shapes, dim3 grid, dim3 block, cudaStream_t stream,
               const std::vector<const void*>& pointers)
      : home_(stream) {
    for (const UnitShape& shape : shapes)
      if (slices_.empty() && fits(shape, grid, block)) cut(shape, grid, pointers);
    if (!slices_.empty()) return;
    land(home_);
    slices_.push_back({grid, home_, {}});
  }
  ~TracedSlices() {
    if (uses_.empty()) passed();
    for (size_t i = 0; i < uses_.size(); i++) after(slices_[i].stream, uses_[i]);
  }
  TracedSlices(const TracedSlices&) = delete;

  const Slice* begin() const { return slices_.data(); }
  const Slice* end() const { return slices_.data() + slices_.size(); }

 private:
  static unsigned& along(dim3& grid, int dimension) {
    return dimension == 0 ? grid.x : dimension == 1 ? grid.y : grid.z;
  }
  static bool same(const dim3& a, const dim3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
  static bool fits(const UnitShape& shape, dim3 grid, dim3 block) {
    along(grid, shape.dimension) = 0;
    return same(grid, shape.grid) && same(block, shape.block);
  }

  static Use use_of(const UnitUse& use, unsigned first, unsigned last, const std::vector<const void*>& pointers) {
    const char* begin = (const char*)pointers[use.pointer];
    if (use.touch == Touch::ReadsBehind) {
      Use known = use_from(begin, false);
      return {begin, known.begin < known.end ? known.end : (const char*)UINTPTR_MAX, false};
    }
    begin += use.offset + first * use.stride;
    return {begin, begin + (last - first - 1) * use.stride + use.bytes, use.touch == Touch::Writes};
  }

  void cut(const UnitShape& shape, dim3 grid, const std::vector<const void*>& pointers) {
    unsigned& extent = along(grid, shape.dimension);
    unsigned cuts[kSlicesMax + 1], units = extent;
    cut_units((units + shape.grain - 1) / shape.grain, kSlicesMax, cuts);
    for (unsigned& one : cuts) one = std::min(one * shape.grain, units);
    for (int i = 0; i < kSlicesMax; i++) {
      extent = cuts[i + 1] - cuts[i];
      if (extent == 0) continue;
      std::vector<Use> uses;
      for (const UnitUse& use : shape.uses) uses.push_back(use_of(use, cuts[i], cuts[i + 1], pointers));
      cudaStream_t stream = stream_of_slice(i);
      prepare(stream, home_, uses, nullptr, {});
      slices_.push_back({grid, stream, {shape.dimension, cuts[i], units}});
      uses_.push_back(std::move(uses));
    }
  }

  cudaStream_t home_;
  std::vector<Slice> slices_;
  std::vector<std::vector<Use>> uses_;  // Of each slice; none of a launch that runs whole.
};
