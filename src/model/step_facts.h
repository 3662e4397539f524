// Small questions about steps that several passes over the program ask.
#pragma once

#include <string>
#include <vector>

#include "model/program.h"

namespace cuco::model {

const Operation& operation_at(const Program& program, Index step);

// Steps that order and dependences are about: device work, and MPI calls and host callbacks that touch buffers.
bool touches_buffers(const Program& program, Index step);

// What a program does once: memory, streams, events, communicators and windows come and go.
bool is_set_up(OperationKind kind);

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

// How many of the loops around both, from the outermost on, are in the same iteration at both steps.
size_t common_loop_count(const Program& program, Index first, Index second);

// Where the operation stands in the function that so many calls lead to: itself, or the call that leads on.
const SourceRange& place_in(const Operation& operation, size_t depth);
bool contains(const SourceRange& outer, const SourceRange& inner);

// A collective, a send or receive, or a kernel that communicates by itself.
bool communicates(const Program& program, Index step);
// A launch or a call of a compute library.
bool computes(const Program& program, Index step);

// Whenever `other` runs, `operation` runs too as far as branches decide it.
bool runs_whenever(const Operation& operation, const Operation& other);

// The two stand on different sides of one branch in one call, so that one evaluation runs one of them at most.
bool on_opposite_sides(const Operation& a, const Operation& b);

}  // namespace cuco::model
