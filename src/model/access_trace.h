// What a run touched and moved, call by call: for every launch the bytes that each block read and wrote, for every
// communication call where it sent from and received into. Written by the virtual cluster as JSON, read by what decides
// whether a grid can be cut.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/collectives.h"

namespace cuco::model {

// Bytes of one buffer: `count` pieces of `piece_bytes`, the first at `begin`, `stride` apart.
struct Footprint {
  uint32_t buffer = 0;  // Counts the allocations of the rank's device, from 0.
  bool written = false;
  uint64_t begin = 0;
  uint64_t piece_bytes = 0;
  uint64_t stride = 0;
  uint64_t count = 1;
  bool exact = true;  // False: pieces differ or are spaced unevenly, and one piece that spans them all stands for them.

  uint64_t end() const { return begin + (count - 1) * stride + piece_bytes; }
  bool operator==(const Footprint&) const = default;
};

struct TracedBlock {
  std::array<uint32_t, 3> index = {};
  std::vector<Footprint> footprints;  // In order of buffer, what is read before what is written.
  bool reaches_elsewhere = false;     // Writes memory that is no allocation of its own device.
  std::vector<Footprint> pieces;  // Exact ones instead of those above that are not, unless they have too many holes.
  std::vector<uint32_t> updated;  // Buffers that atomic operations change, in order.

  bool operator==(const TracedBlock&) const = default;
};

// A pointer into a buffer that a kernel gets, by itself or in a structure.
struct TracedPointer {
  uint32_t parameter = 0;  // Its position among the kernel's parameters.
  uint32_t field = 0;      // Where it lies in that, in bytes.
  uint32_t buffer = 0;
  uint64_t offset = 0;  // What it points to.

  bool operator==(const TracedPointer&) const = default;
};

// A number among a kernel's arguments, from its bytes, whatever type it has: an argument of up to 8 bytes, or 4 bytes
// of a larger one that are no such pointer.
struct TracedNumber {
  uint32_t parameter = 0;
  uint32_t field = 0;  // Where it lies in the argument, in bytes.
  int64_t value = 0;

  bool operator==(const TracedNumber&) const = default;
};

struct TracedLaunch {
  std::string kernel;
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  std::vector<TracedBlock> blocks;         // In order of their linear index; of a sampled run only those that ran.
  std::vector<TracedPointer> pointers;     // In order of parameter and field.
  std::vector<TracedNumber> numbers = {};  // Likewise.

  bool operator==(const TracedLaunch&) const = default;
};

// Where a call begins to read or write.
struct TracedPlace {
  bool used = false;
  uint32_t buffer = 0;
  uint64_t offset = 0;

  bool operator==(const TracedPlace&) const = default;
};

struct TracedCall {
  Collective collective{};
  uint64_t bytes = 0;            // Count x size of an element, as the call states them.
  int peer = -1;                 // Of a send or receive, or the root.
  int rank = 0, rank_count = 1;  // In the communicator.
  TracedPlace send, receive;
  uint32_t element_bytes = 1;

  bool operator==(const TracedCall&) const = default;
};

// A launch or a call, in the order in which the host issued them.
struct TracedStep {
  std::string place;  // "file:line".
  uint32_t stream = 0;
  bool is_launch = false;
  TracedLaunch launch;
  TracedCall call;

  bool operator==(const TracedStep&) const = default;
};

struct TracedBuffer {
  uint64_t bytes = 0;
  std::string origin;  // "cudaMalloc at file:line".

  bool operator==(const TracedBuffer&) const = default;
};

// A place whose launches touch other bytes when something that they should not depend on is different.
struct VaryingPlace {
  std::string place;
  std::string difference;  // "with other inputs".

  bool operator==(const VaryingPlace&) const = default;
};

struct AccessTrace {
  std::vector<std::vector<TracedStep>> ranks;
  std::vector<std::vector<TracedBuffer>> buffers;   // By rank and number.
  std::vector<VaryingPlace> varying = {};           // Of what launches write.
  std::vector<VaryingPlace> varying_received = {};  // Of what they touch in buffers that calls receive into.
  std::vector<AccessTrace> repeats = {};  // Runs of the same shape, with other inputs and in another order of blocks.
  std::vector<AccessTrace> further = {};  // Runs with other sizes or rank counts.
  // The run is of the size that the user runs and was sampled. What it shows counts where the further sizes, at which
  // every block ran, show the same.
  bool is_case = false;

  bool operator==(const AccessTrace&) const = default;
};

// Inverse of each other; the second gives an error for any other text.
std::string to_json(const AccessTrace& trace);
Result<AccessTrace> parse_access_trace(std::string_view json);

// Whether a sampled run has to run the block so that fill_in() can tell those that it leaves out.
bool is_telling(const std::array<uint32_t, 3>& index, const std::array<uint32_t, 3>& grid);
// Gives a sampled run's launches the blocks that did not run: where those that did touch bytes that begin in even steps
// along each dimension of the grid, but for the last along it, so do the others. Elsewhere all count as blocks that
// write anywhere.
void fill_in(AccessTrace& trace);

// Makes a sampled run one of the size that the user runs, with what a smaller size shows, traced whole.
void add_proof(AccessTrace& trace, AccessTrace proof);

// Adds the places whose launches write, or touch of what is received, other bytes in `other`, a run of the same program
// and shape.
void note_varying(AccessTrace& trace, const AccessTrace& other, const std::string& difference);

}  // namespace cuco::model
