// What an image defines and asks for by name. A program that defines a function of the harness, of CUDA, NCCL or MPI,
// or a clock would talk to itself where it should talk to the runner; one that asks for the runner's own C++ functions
// reaches behind it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "vcluster/lowering_input.h"

namespace cuco::vcluster {

struct ImageSymbol {
  std::string name;
  bool is_defined = false;
};

// From the symbol tables of a 64-bit little-endian ELF file.
Result<std::vector<ImageSymbol>> read_symbols(const std::string& image);

// Why the image is refused, or empty. `exported`: what the runner defines; other names that begin like a library's are
// the program's right.
std::string refusal_of(const std::vector<ImageSymbol>& symbols, const NameSet& exported);

}  // namespace cuco::vcluster
