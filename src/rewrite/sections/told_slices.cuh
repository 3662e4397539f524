
// A launch in slices that writes what exchanges in flight send. Unit i of the cut dimension writes `unit_bytes` from
// unit_bytes * i behind the pointer on, in launches whose blocks and other dimensions are those that were traced. Others
// run whole.
struct TracedShape {
  int dimension;
  size_t unit_bytes;
  dim3 grid, block;
};

class ToldSlices {
 public:
  ToldSlices(const TracedShape& shape, dim3 grid, dim3 block, cudaStream_t stream, const void* pointer)
      : home_(stream), written_(use_from(pointer, true)) {
    unsigned& extent = shape.dimension == 0 ? grid.x : shape.dimension == 1 ? grid.y : grid.z;
    unsigned units = extent;
    extent = shape.dimension == 0 ? shape.grid.x : shape.dimension == 1 ? shape.grid.y : shape.grid.z;
    bool fits = same(grid, shape.grid) && same(block, shape.block) && written_.begin < written_.end;
    extent = units;
    if (fits)
      cut(shape, grid, extent);
    else
      slices_.push_back({grid, stream, {}});
  }
  // Exchanges wait for the slices that wrote their bytes, the program's stream for all of them.
  ~ToldSlices() {
    for (size_t i = 0; i < slices_.size(); i++) {
      if (written_.begin < written_.end) after(slices_[i].stream, {uses_.empty() ? written_ : uses_[i]});
      if (slices_[i].stream == home_) continue;
      cudaEventRecord(slice_streams().done[i], slices_[i].stream);
      join(home_, slice_streams().done[i]);
    }
  }
  ToldSlices(const ToldSlices&) = delete;

  const Slice* begin() const { return slices_.data(); }
  const Slice* end() const { return slices_.data() + slices_.size(); }

 private:
  static bool same(const dim3& a, const dim3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

  void cut(const TracedShape& shape, dim3& grid, unsigned& extent) {
    open_slices();
    SliceStreams& all = slice_streams();
    unsigned cuts[kSlicesMax + 1], units = extent;
    cut_units(units, kSlicesMax, cuts);
    cudaEventRecord(all.begun, home_);
    for (int i = 0; i < kSlicesMax; i++) {
      extent = cuts[i + 1] - cuts[i];
      if (extent == 0) continue;
      cudaStreamWaitEvent(all.streams[i], all.begun, 0);
      slices_.push_back({grid, all.streams[i], {shape.dimension, cuts[i], units}});
      uses_.push_back({written_.begin + cuts[i] * shape.unit_bytes, written_.begin + cuts[i + 1] * shape.unit_bytes, true});
    }
  }

  cudaStream_t home_;
  Use written_;  // From the pointer on.
  std::vector<Slice> slices_;
  std::vector<Use> uses_;  // Of each slice.
};
