// How closely the outputs of a program without a harness are compared. Where the original adds up floating-point
// numbers in no fixed order (reductions between ranks, atomic additions) another order is as right, so an element may
// differ by what that changes: in sums of n terms about the square root of n units in the last place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/source_file.h"
#include "evaluate/capture.h"
#include "evaluate/plain/element_names.h"
#include "model/program.h"

namespace cuco::evaluate {

// The sums of a program that have no fixed order.
struct FreeOrder {
  uint64_t rank_terms = 0;          // Of the largest reduction between ranks; 0: there is none.
  bool adds_atomically = false;     // So that an element may have as many terms as kernels do operations for it.
  std::vector<std::string> places;  // "ncclAllReduce at f.cu:12 over 4 ranks", "atomicAdd at f.cu:30".
};

// Atomic additions are looked for in the texts of the program's own sources, whatever their type.
FreeOrder find_free_order(const model::Program& program, const std::vector<SourceFile>& sources, uint32_t rank_count);

// Of an element that is a sum of so many terms, as a share of what it is compared by: not less than
// default_tolerance().
double sum_tolerance(Element element, uint64_t terms);

// Gives every floating-point output its tolerance. The relative one follows from the terms; the absolute one is the
// same share of the output's typical size, for sums whose terms nearly cancel. Where that is small it is the share of
// the typical size of all outputs, 1 at most; of outputs too few to tell, of 1. `operations` are those of the run's
// kernels.
void set_tolerances(const FreeOrder& order, uint64_t operations, Capture& capture);

// What the tolerances are and why, for the verdict; empty of a capture without floating-point outputs.
std::string tolerance_note(const FreeOrder& order, const Capture& capture);

}  // namespace cuco::evaluate
