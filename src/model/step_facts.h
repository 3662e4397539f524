// Small questions about steps that several passes over the program ask.
#pragma once

#include <string>
#include <vector>

#include "model/program.h"

namespace cuco::model {

const Operation& operation_at(const Program& program, Index step);

// Steps that order and dependences are about: device work, and MPI calls and host callbacks that touch buffers.
bool touches_buffers(const Program& program, Index step);

bool in_timed_region(const Program& program, Index step);

// Loops around an operation, outermost first.
std::vector<Index> enclosing_loops(const Program& program, const Operation& operation);

// The iterations of two steps in the loops that enclose both of their operations.
struct CommonIterations {
  std::vector<uint32_t> first;
  std::vector<uint32_t> second;

  bool same() const { return first == second; }
  // One loop differs, by one iteration.
  bool neighbouring() const;
};
CommonIterations common_iterations(const Program& program, Index first, Index second);

// Whenever `other` runs, `operation` runs too as far as branches decide it.
bool runs_whenever(const Operation& operation, const Operation& other);

// The two stand on different sides of one branch in one call, so that one evaluation runs one of them at most.
bool on_opposite_sides(const Operation& a, const Operation& b);

}  // namespace cuco::model
