// Which bytes of device memory are as a whole run would have them, in a sampled run whose results are compared: those
// that were drawn, those that blocks wrote which had read nothing else, and copies of both. Of everything else a
// sampled run knows nothing, because the block that would have written it did not run.
//
// A byte is *known* once it was drawn or written in this run, *valid* if it is also right. Memory that is to be drawn
// is not known until somebody needs it: a value is a function of its place alone, so it can be drawn at any time, and
// memory that nobody reads costs nothing. The state lies where checkers keep theirs (checkers/shadow.h), whose runs are
// others: a byte for four bytes of memory, the low half valid, the high half known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cuco/draw.h"
#include "vcluster/runtime/checkers/shadow.h"

namespace cuco::vcluster {

// A stretch of memory whose elements are drawn when they are needed.
struct DrawnMemory {
  uintptr_t begin = 0, end = 0;
  Element element = Element::Float32;
  Distribution distribution = {};
  uint64_t base = 0;   // Of the stream of numbers.
  uint64_t first = 0;  // The place in it of the element at `begin`.
};

// Bytes under way from one place to another.
struct TakenBytes {
  struct Run {
    size_t offset;
    std::string bytes;
  };
  size_t size = 0;
  std::vector<Run> valid;
  std::vector<DrawnMemory> drawn;  // Places count from 0.
};

class Validity {
 public:
  void draw_later(const DrawnMemory& memory);
  // Nothing is known about what lies there.
  void forget(uintptr_t begin, size_t bytes);
  // Draws what is not known of it and can be drawn.
  void provide(uintptr_t begin, size_t bytes) {
    if (!is_known(begin, bytes)) draw(begin, bytes);
  }
  // Provides it.
  bool is_valid(uintptr_t begin, size_t bytes);
  void write(uintptr_t begin, size_t bytes, bool valid);

  TakenBytes take(uintptr_t from, size_t bytes);
  void give(uintptr_t to, const TakenBytes& taken);

  struct Range {
    uintptr_t begin, end;
  };
  // Those of the bytes that are valid, in order. What can be drawn and was not is left out.
  std::vector<Range> valid_ranges(uintptr_t begin, size_t bytes);
  // Those that are valid or may be, once they are drawn, in order.
  std::vector<Range> ready_ranges(uintptr_t begin, size_t bytes);
  // Those that are valid, after all of it is drawn.
  std::vector<Range> provided_ranges(uintptr_t begin, size_t bytes);

  // Code of the host has seen what is not valid, so whatever it asks for from now on says nothing.
  bool host_is_misled = false;
  // Writes of the program are in a call that is not compared.
  bool is_apart = false;

 private:
  void map_device(uintptr_t address);
  bool is_known(uintptr_t begin, size_t bytes);
  void draw(uintptr_t begin, size_t bytes);
  void draw_from(const DrawnMemory& memory, uintptr_t begin, uintptr_t end);
  void cut(uintptr_t begin, uintptr_t end);
  std::vector<DrawnMemory> drawn_in(uintptr_t begin, uintptr_t end);

  std::map<uintptr_t, DrawnMemory> drawn_;  // By where they begin; none overlap.
  std::vector<bool> mapped_;                // By device.
};

extern Validity run_validity;
inline Validity& validity() { return run_validity; }
// Whether the run keeps it; a plain flag because every access asks.
extern bool keeps_validity;

// What threads do to memory, as the hooks of the checking build report it. The running thread is misled once it has
// read what is not valid, its block once such a thread has written to shared memory or met others.
bool is_misled();
void on_read(uintptr_t address, size_t bytes);
void on_write(uintptr_t address, size_t bytes);
void on_update(uintptr_t address, size_t bytes);
void on_carried(uintptr_t to, uintptr_t from, size_t bytes);

// What copies, collectives and memsets do. A sampled run whose results are not compared moves small ones only: flags
// and counts.
void move_bytes(void* to, const void* from, size_t bytes);
void fill_bytes(void* to, int value, size_t bytes);

}  // namespace cuco::vcluster
