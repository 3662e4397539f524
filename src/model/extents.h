// Whether two accesses to one buffer touch the same bytes.
//
// Where a kernel reaches through a pointer is not known. A pointer that starts at the buffer's first byte, and that no
// launch of the same kernel passes with another offset, is taken to reach the whole buffer. Any other kernel pointer
// begins a slice of unknown length: it meets an access with the same offset for certain, and others perhaps. An operand
// that may point to one of several places, which shows as several regions of one step through it, meets others perhaps.
#pragma once

#include <vector>

#include "model/program.h"

namespace cuco::model {

enum class Meeting : uint8_t {
  Never,    // Proven.
  Perhaps,  // The same buffer, but the expressions do not tell whether the same bytes.
  Certain,
};

class Extents {
 public:
  explicit Extents(const Program& program);

  // Regions by step and position in its list; both must be of the same buffer.
  Meeting meet(Index step_a, size_t region_a, Index step_b, size_t region_b);

 private:
  // What regions with equal bytes share, so that each pair of shapes is compared once.
  struct Shape {
    Symbolic offset;
    std::optional<Symbolic> bytes;
    bool whole = false;   // Covers the buffer.
    bool chosen = false;  // One of several places that the operand may point to.

    bool operator==(const Shape&) const = default;
  };
  struct Shapes {
    std::vector<Shape> all;
    std::vector<int8_t> meetings;  // all.size() squared, -1 where not compared yet.
  };

  void intern(const Program& program);
  static Meeting compare_bytes(const Shape& a, const Shape& b);
  static Meeting compare(const Shape& a, const Shape& b);

  std::vector<Shapes> by_buffer_;
  std::vector<std::vector<Index>> shape_of_;   // [step][region].
  std::vector<std::vector<Index>> buffer_of_;  // [step][region].
};

}  // namespace cuco::model
