// What an evolve block may not contain, found in its tokens. One complaint for each place, in the order of the text.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "evaluate/text/lexer.h"

namespace cuco::evaluate {

struct Complaint {
  int line;
  std::string what;
};

struct FrozenNames {
  std::set<std::string> all;
  std::set<std::string> harnesses;  // Objects of type cuco::Harness.
};

// `tokens` are those of one block, without comments.
std::vector<Complaint> scan_block(const std::vector<Token>& tokens, const FrozenNames& frozen);

// The parts of it, in files of their own.
void scan_names(const std::vector<Token>& tokens, const FrozenNames& frozen, std::vector<Complaint>& complaints);
void scan_directives(const std::vector<Token>& tokens, const FrozenNames& frozen, std::vector<Complaint>& complaints);
void scan_shape(const std::vector<Token>& tokens, std::vector<Complaint>& complaints);
void scan_assembly(const std::vector<Token>& tokens, std::vector<Complaint>& complaints);

// Names of CUDA, NCCL, MPI and the harness, which a candidate may use but not define.
bool is_library_name(const std::string& name);

}  // namespace cuco::evaluate
