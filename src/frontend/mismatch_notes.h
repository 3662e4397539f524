// What Clang's messages leave out.
//
// It says that no function matches a call in an error, and why each one does not in notes behind it. The first of them is
// nearly always what the user has to know.
#pragma once

#include <string>
#include <string_view>

namespace cuco::frontend {

// "; " and the reason; empty for notes that give none.
std::string mismatch_in(std::string_view note);

// "; " and what to do, for a name of device code that a host file lacks; else empty. nvcc reads such files with -x cu.
std::string kernels_hint(std::string_view message);

}  // namespace cuco::frontend
