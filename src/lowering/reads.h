// Whether an expression inside a template reads volatile memory. Clang adds the load only when the type is known, so
// until then the surroundings must tell.
#pragma once

#include "frontend/clang_headers.h"

namespace cuco::lowering {

// True for `*p` and `p[i]` of a dependent type that is volatile whatever its arguments are, where the value is used.
bool is_dependent_volatile_read(const clang::Expr& expression, clang::ASTContext& context);

}  // namespace cuco::lowering
