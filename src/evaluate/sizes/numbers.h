// The numbers of a program that may scale it, and a proof size that gives them other values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluate/sizes/proof_sizes.h"
#include "evaluate/sizes/search.h"
#include "evaluate/sizes/text_numbers.h"

namespace cuco::evaluate {

struct SizeNumber {
  enum class Kind : uint8_t { Parameter, Argument, Constant };

  Kind kind = Kind::Parameter;
  std::string name;        // "m"; "--hidden" or, by position, "$2"; "HIDDEN".
  int64_t value = 0;       // At the case.
  size_t index = 0;        // Of a parameter or an argument.
  TextNumber text;         // Of a constant.
  bool sizes = true;       // False: it selects, repeats, or
  bool is_factor = false;  // is a factor of one that does, as in HIDDEN = HEADS * DIM.
};

// All that a user may name. `files` are the program's sources and its own headers.
std::vector<SizeNumber> all_numbers(const EvaluationRequest& request, const std::vector<SourceFile>& files);
// Those of them that may scale it, and factors of these.
std::vector<SizeNumber> size_numbers(const EvaluationRequest& request, const std::vector<SourceFile>& files);

SizeValues values_of(const std::vector<SizeNumber>& numbers);
// What the numbers are at a size.
SizeValues values_at(const ProofSize& size, const std::vector<SizeNumber>& numbers);

// The case where `values` are the numbers' own.
ProofSize with_values(const Configuration& of_case, const std::vector<SizeNumber>& numbers, const SizeValues& values);

// "HIDDEN=512, TOKENS=256 (of 7168, 4096)"; empty where they are the numbers' own.
std::string changes_text(const std::vector<SizeNumber>& numbers, const SizeValues& values);

// "HIDDEN=7168 (model.h:12), $2=4096".
std::string names_text(const std::vector<SizeNumber>& numbers);

}  // namespace cuco::evaluate
