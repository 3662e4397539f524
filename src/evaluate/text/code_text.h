// Questions about C++ text that need no parser: where words stand once comments and literals are out of the way.
#pragma once

#include <string>
#include <string_view>

namespace cuco::evaluate {

// Comments and the insides of literals become blanks; offsets and lines stay.
std::string without_comments(const std::string& text);

// The text closes every brace that it opens, and no other.
bool is_balanced(std::string_view code);

// The place of the next whole word from `from` on, or npos.
size_t find_word(std::string_view code, std::string_view word, size_t from = 0);

// The code may make `name`, a variable or member, stand for other memory: assigns it, swaps it, takes its address.
bool may_rebind(std::string_view code, std::string_view name);

// NAME, a variable or member, in the first CALL(MPI_COMM_WORLD, &NAME), or empty.
std::string filled_by(std::string_view code, std::string_view call);

}  // namespace cuco::evaluate
