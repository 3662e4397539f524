// Grids in slices. A launch of the program becomes several, each of a run of blocks along one dimension of the grid and
// on a stream of its own; the streams begin after the program's stream and it goes on after all of them. An exchange
// that follows takes its messages in as many parts, and part k leaves when slice k is done.
//
// Slices grow towards the middle: a first part that is small leaves early, a last one that is small leaves little to
// wait for. Earlier slices have the higher priority, so they do not run all at once.
#pragma once

#include <cuco/comm/collectives.cuh>
#include <cuco/comm/fallbacks.cuh>
#include <cuco/comm/shape.cuh>

namespace cuco::comm {

constexpr int kSlicesMax = kChunksMax;

// Which blocks of a kernel a launch runs. A kernel that takes this sees the whole grid's blockIdx and gridDim. One
// addition for each index that it asks for: every thread of every block makes it, which shows where threads have little
// to do.
struct Blocks {
  uint3 first = {0, 0, 0};   // The launch's first block in the whole grid.
  uint3 others = {0, 0, 0};  // Extents of the whole grid beyond the launch's.
};
// The same where all launches of the kernel are cut along one dimension; the other indices need no addition.
template <int kDimension>
struct BlocksAlong {
  unsigned first = 0, others = 0;

  BlocksAlong(const Blocks& all) : first(along(all.first, kDimension)), others(along(all.others, kDimension)) {}
};

// Made in place: a function that returns three indices packs them into words, which every thread takes apart again.
struct BlockIndex : uint3 {
  __device__ explicit BlockIndex(const Blocks& blocks)
      : uint3{blockIdx.x + blocks.first.x, blockIdx.y + blocks.first.y, blockIdx.z + blocks.first.z} {}
  template <int kDimension>
  __device__ explicit BlockIndex(const BlocksAlong<kDimension>& blocks)
      : uint3{blockIdx.x + (kDimension == 0 ? blocks.first : 0), blockIdx.y + (kDimension == 1 ? blocks.first : 0),
              blockIdx.z + (kDimension == 2 ? blocks.first : 0)} {}
};
struct GridExtent : dim3 {
  __device__ explicit GridExtent(const Blocks& blocks)
      : dim3(gridDim.x + blocks.others.x, gridDim.y + blocks.others.y, gridDim.z + blocks.others.z) {}
  template <int kDimension>
  __device__ explicit GridExtent(const BlocksAlong<kDimension>& blocks)
      : dim3(gridDim.x + (kDimension == 0 ? blocks.others : 0), gridDim.y + (kDimension == 1 ? blocks.others : 0),
             gridDim.z + (kDimension == 2 ? blocks.others : 0)) {}
};

struct Slice {
  dim3 grid;
  cudaStream_t stream;
  Blocks blocks;
};

inline Slice slice_of(dim3 grid, int dimension, unsigned first, unsigned end, cudaStream_t stream) {
  Slice slice = {grid, stream, {}};
  unsigned& extent = along(slice.grid, dimension);
  along(slice.blocks.first, dimension) = first;
  along(slice.blocks.others, dimension) = extent - (end - first);
  extent = end - first;
  return slice;
}

struct SliceStreams {
  cudaStream_t streams[kSlicesMax] = {};
  cudaEvent_t done[kSlicesMax] = {};     // Of the last sliced launch, and of what goes on with its slice.
  cudaEvent_t posted[kSlicesMax] = {};   // Parts of the last exchange, on their way.
  cudaEvent_t arrived[kSlicesMax] = {};  // And here.
  cudaEvent_t begun = nullptr;
  int count = 0;                             // Of its slices; 0 when its exchange has been called.
  unsigned cuts[kSlicesMax + 1], units = 1;  // Slice k has the units from cuts[k] to cuts[k + 1].
  int64_t message_bytes = 0;                 // Of the exchange that follows; 0: any.
  cudaStream_t home = nullptr;               // The stream that the program named.
  cudaStream_t parts = nullptr;              // That parts leave on,
  cudaStream_t arrivals = nullptr;           // and are awaited on, so that none keeps the next from leaving.
  cudaEvent_t exchanged = nullptr, joined = nullptr;
};
inline SliceStreams& slice_streams() {
  thread_local SliceStreams all;
  return all;
}

inline void close_slices(ncclComm_t);
inline void open_slices() {
  SliceStreams& all = slice_streams();
  if (all.parts != nullptr) return;
  call_at_close(close_slices);
  int least = 0, greatest = 0;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  for (cudaStream_t* stream : {&all.parts, &all.arrivals})
    cudaStreamCreateWithPriority(stream, cudaStreamNonBlocking, greatest);
  for (int i = 0; i < kSlicesMax; i++) {
    int priority = greatest + 1 + i;
    cudaStreamCreateWithPriority(&all.streams[i], cudaStreamNonBlocking, priority < least ? priority : least);
    for (cudaEvent_t* event : {&all.done[i], &all.posted[i], &all.arrived[i]})
      cudaEventCreateWithFlags(event, cudaEventDisableTiming);
  }
  for (cudaEvent_t* event : {&all.begun, &all.exchanged, &all.joined})
    cudaEventCreateWithFlags(event, cudaEventDisableTiming);
}
// What communicators that are still open need is made again.
inline void close_slices(ncclComm_t) {
  SliceStreams& all = slice_streams();
  if (all.parts == nullptr) return;
  cudaDeviceSynchronize();
  for (cudaStream_t stream : {all.parts, all.arrivals}) cudaStreamDestroy(stream);
  for (int i = 0; i < kSlicesMax; i++) {
    cudaStreamDestroy(all.streams[i]);
    for (cudaEvent_t event : {all.done[i], all.posted[i], all.arrived[i]}) cudaEventDestroy(event);
  }
  for (cudaEvent_t event : {all.begun, all.exchanged, all.joined}) cudaEventDestroy(event);
  all = SliceStreams();
}

inline bool are_cut(size_t message_bytes) {
  const int64_t bytes = slice_streams().message_bytes;
  return bytes == 0 || bytes == (int64_t)message_bytes;
}

// The record is work of the stream, so that a host that waits for the stream waits for the event.
inline void join(cudaStream_t stream, cudaEvent_t event) {
  cudaStreamWaitEvent(stream, event, 0);
  cudaEventRecord(slice_streams().joined, stream);
}

// The stream of a call goes on when all parts have come and, where its launch was cut into `slice_count`, all that goes
// on with a slice is done.
inline void join_parts(cudaStream_t stream, int slice_count) {
  SliceStreams& all = slice_streams();
  cudaEventRecord(all.exchanged, all.arrivals);
  join(stream, all.exchanged);
  for (int i = 0; i < slice_count; i++) {
    cudaEventRecord(all.done[i], all.streams[i]);
    join(stream, all.done[i]);
  }
  all.count = 0;
}

// The slices of one launch, to be gone through once: the streams part when it is made and meet when it goes. A launch
// that is not like the traced ones is one slice on its own stream, and no exchange takes it for cut.
class Slices {
 public:
  Slices(int count, int dimension, dim3 grid, dim3 block, cudaStream_t stream, const Shape& like = {}) {
    open_slices();
    SliceStreams& all = slice_streams();
    all.count = 0, all.message_bytes = like.message_bytes;
    if (!note_launch(kRunsInSlices, like.fits(grid, block))) {
      slices_.push_back({grid, stream, {}});
      return;
    }
    all.count = count, all.home = stream, all.units = along(grid, dimension);
    cut_units(all.units, count, all.cuts);
    cudaEventRecord(all.begun, stream);
    for (int i = 0; i < count; i++)
      if (all.cuts[i] < all.cuts[i + 1])
        slices_.push_back(slice_of(grid, dimension, all.cuts[i], all.cuts[i + 1], all.streams[i]));
  }
  ~Slices() {
    SliceStreams& all = slice_streams();
    for (int i = 0; i < all.count; i++) {
      cudaEventRecord(all.done[i], all.streams[i]);
      join(all.home, all.done[i]);
    }
  }
  Slices(const Slices&) = delete;

  // A slice's stream comes after the program's when it is its turn, so that the first does not wait for the host's
  // calls for all the others.
  struct Turn {
    const Slice* slice;

    const Slice& operator*() const {
      if (slice_streams().count > 0) cudaStreamWaitEvent(slice->stream, slice_streams().begun, 0);
      return *slice;
    }
    Turn& operator++() { return slice++, *this; }
    bool operator!=(const Turn& other) const { return slice != other.slice; }
  };
  Turn begin() const { return {slices_.data()}; }
  Turn end() const { return {slices_.data() + slices_.size()}; }

 private:
  std::vector<Slice> slices_;
};

}  // namespace cuco::comm
