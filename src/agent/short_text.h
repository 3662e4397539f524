// A library that a program carries, in short: of what stands in namespaces the declarations that somebody needs,
// without how they are done. Reads text, not C++: what it does not understand stays as it is.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cuco::agent {

std::set<std::string> identifiers_in(std::string_view text);

// `used` and, again and again, the names in the declarations of what is used. Libraries are texts as below.
std::set<std::string> needed_names(const std::vector<std::string_view>& libraries, std::set<std::string> used);

// Text outside of namespaces stays; inside of them only what declares one of the names does, without bodies.
std::string in_short(std::string_view text, const std::set<std::string>& names);

// Whether all but comments and directives stands in namespaces, and something of it has a body.
bool is_library(std::string_view text);

}  // namespace cuco::agent
