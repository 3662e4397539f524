// Proof sizes: small sizes of a program at which candidates are executed whole, under all checkers, and compared with
// the original. The case is the size that the user runs. Its numbers are shrunk together as long as the original does
// at the smaller size what it does at the case: it ends as it does there, launches the same kernels, with several
// blocks where they have several, and makes the same communication calls.
//
// The numbers of a workload are its NAME=NUMBER parameters. A plain program also has the integers among its arguments
// and the constants of its text that reach sizes (text_numbers.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "evaluate/evaluate.h"
#include "evaluate/sizes/proof_size.h"

namespace cuco::evaluate {

// Whether the case is too large to be executed whole, and has numbers that could be smaller. Runs it once, by block
// sampling, where one of them is large; remembered in the request's cache. A program that cannot be run so counts as
// small: running it whole says what is wrong.
bool is_large(const EvaluationRequest& request);

// At least three where the program has them, the one that costs least first, an uneven one among them where the
// original runs there. A case that is small itself is the first. Runs the original, the case by block sampling, about a
// dozen times; remembered in the request's cache. An error says which number, at which line, fixed the size, or what
// the original did at the smallest size that was tried.
Result<std::vector<ProofSize>> find_proof_sizes(const EvaluationRequest& request);

// Of "HIDDEN=512 TOKENS=256", as a user gives it: parameters of a workload; arguments of a plain program by their
// option's name ("--hidden=512") or position ("$2=512"), and constants by their name. Names that are not there and
// values that are no positive integers are errors that say what there is.
Result<ProofSize> parse_proof_size(const std::string& text, const EvaluationRequest& request);

// That the original runs at the sizes a user gave, and takes the case's kernels and calls there. An error says at which
// size it does not, and why.
Status check_proof_sizes(const EvaluationRequest& request, const std::vector<ProofSize>& sizes);

// Sizes around the given one at which the original does the same: each number changed by itself. For guards that hold
// at all sizes so far; at most `count`.
Result<std::vector<ProofSize>> variants_of(const ProofSize& size, const EvaluationRequest& request, uint32_t count);

// The same evaluation at a proof size: its configuration, and the texts of baseline, parent and candidate with its
// constants. An error says which declaration a text does not have, or has more than once: that candidate is rejected.
Result<EvaluationRequest> at_proof_size(const EvaluationRequest& request, const ProofSize& size);

}  // namespace cuco::evaluate
