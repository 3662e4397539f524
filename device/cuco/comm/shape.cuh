// What the blocks of a launch touch, and for which launches that was found:
//   Shape().on_grid(4, 8, 1).of_threads(32, 1, 1).when(value_of(rows) == 64).writes(out, Tiles().step(128, 1024,
//   0).piece(128))
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace cuco::comm {

// Numbers of a launch, by which it is known whether it is like those that were traced: the bytes of an argument, or
// four of a larger one.
template <typename T>
int64_t value_of(const T& argument, size_t field = 0) {
  int64_t value = 0;
  if (field < sizeof(T))
    std::memcpy(&value, (const char*)&argument + field, std::min<size_t>(sizeof(T) > 8 ? 4 : 8, sizeof(T) - field));
  return value;
}
// Less than 0, which nothing is, where the divisor does not divide.
inline int64_t quotient(int64_t product, int64_t divisor) {
  return divisor > 0 && product % divisor == 0 ? product / divisor : -1;
}
// An extent or index along a dimension, 0 for x.
template <typename Extents>
__host__ __device__ auto& along(Extents& of, int dimension) {
  return dimension == 0 ? of.x : dimension == 1 ? of.y : of.z;
}
// An extent of 0 is as well any other.
inline bool has_shape(const dim3& extent, const dim3& traced) {
  return (traced.x == 0 || traced.x == extent.x) && (traced.y == 0 || traced.y == extent.y) &&
         (traced.z == 0 || traced.z == extent.z);
}

// What block (x, y, z) writes: `count` pieces of `bytes`, `stride` apart, the first at
// x * steps[0] + y * steps[1] + z * steps[2].
struct Tiles {
  int64_t steps[3] = {0, 0, 0};
  int64_t bytes = 0, stride = 0;
  int64_t count = 0;  // 0: blocks write nothing of this form.

  Tiles step(int64_t x, int64_t y, int64_t z) const { return {{x, y, z}, bytes, stride, count}; }
  Tiles piece(int64_t size) const {
    return {{steps[0], steps[1], steps[2]}, size, stride == 0 ? size : stride, count == 0 ? 1 : count};
  }
  Tiles rows(int64_t number, int64_t distance) const {
    return {{steps[0], steps[1], steps[2]}, bytes, distance, number};
  }
};

// What blocks touch that have one index along a dimension: `bytes` bytes from offset + index / blocks * stride on.
struct Span {
  int dimension = 0;
  int64_t blocks = 1;  // So many in a row touch the same.
  int64_t offset = 0, stride = 0;
  int64_t bytes = 0;  // 0: whatever lies behind the pointer.

  Span along(int which) const { return {which, blocks, offset, stride, bytes}; }
  Span every(int64_t number) const { return {dimension, number, offset, stride, bytes}; }
  Span from(int64_t first) const { return {dimension, blocks, first, stride, bytes}; }
  Span step(int64_t distance) const { return {dimension, blocks, offset, distance, bytes}; }
  Span length(int64_t size) const { return {dimension, blocks, offset, stride, size}; }
};

struct Shape {
  struct Touched {
    const char* pointer;
    Span span;
    Tiles tiles;
    int64_t filled;  // So many bytes have one block each; 0: some have none or several.
    bool writes;
  };

  bool holds = true;
  dim3 grid = dim3(0, 0, 0), block = dim3(0, 0, 0);  // An extent of 0 is as well any other.
  int dimension = 0;                                 // Blocks with one index of it are a unit.
  unsigned grain = 1;                                // Units that stay together.
  int64_t piece_bytes = 0;                           // That a unit has of each row of a message; 0: it has whole rows.
  int64_t message_bytes = 0;                         // That all units write together.
  Tiles tiles = {};                                  // That blocks write of it.
  std::vector<Touched> touched = {};

  Shape when(bool condition) const { return changed(&Shape::holds, condition); }
  Shape on_grid(int64_t x, int64_t y, int64_t z) const { return changed(&Shape::grid, extent(x, y, z)); }
  Shape of_threads(int64_t x, int64_t y, int64_t z) const { return changed(&Shape::block, extent(x, y, z)); }
  Shape along(int which) const { return changed(&Shape::dimension, which); }
  Shape in_grains(unsigned units) const { return changed(&Shape::grain, units); }
  Shape row_piece(int64_t bytes) const { return changed(&Shape::piece_bytes, bytes); }
  Shape message(int64_t bytes) const { return changed(&Shape::message_bytes, bytes); }
  Shape in_tiles(const Tiles& all) const { return changed(&Shape::tiles, all); }
  Shape reads(const void* pointer, const Span& span = {}) const {
    return touching({(const char*)pointer, span, {}, 0, false});
  }
  Shape writes(const void* pointer, const Span& span = {}) const {
    return touching({(const char*)pointer, span, {}, 0, true});
  }
  Shape writes(const void* pointer, const Tiles& all, int64_t filled) const {
    return touching({(const char*)pointer, {}, all, filled, true});
  }

  bool fits(const dim3& launched, const dim3& threads) const {
    return holds && has_shape(launched, grid) && has_shape(threads, block);
  }

 private:
  static dim3 extent(int64_t x, int64_t y, int64_t z) { return dim3((unsigned)x, (unsigned)y, (unsigned)z); }
  template <typename T>
  Shape changed(T Shape::*field, const T& value) const {
    Shape shape = *this;
    shape.*field = value;
    return shape;
  }
  Shape touching(const Touched& one) const {
    Shape shape = *this;
    shape.touched.push_back(one);
    return shape;
  }
};

}  // namespace cuco::comm
