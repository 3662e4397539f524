// Enumerators of CUDA and NCCL as a program names them.
#pragma once

#include "frontend/locations.h"
#include "frontend/value.h"

namespace cuco::frontend {

// The enumerator that an argument names, or its text.
std::string enumerator_text(const clang::Expr* argument, const Locations& here);

// What stands for an operation of ncclRedOpCreatePreMulSum: NCCL numbers these from ncclNumOps on.
constexpr int64_t kMadeReduction = 5;

// Falls back on the value when the text is not an enumerator: `constexpr auto kType = pick<T>()`.
std::string enumerator_named(const clang::Expr* argument, const Value& value, const Locations& here);

}  // namespace cuco::frontend
