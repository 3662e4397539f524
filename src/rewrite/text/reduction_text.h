// What the text of a reduction's kernels says of its elements.
#pragma once

#include <map>
#include <string>

#include "rewrite/passes/pass.h"

namespace cuco::rewrite {

// The NCCL types that the site's calls have, each with the type of its elements. One that no rule reduces is an
// obstacle; one that the program chooses when it runs is left out.
std::map<std::string, std::string> element_types_of(Work& work, model::Index site);
// Whether the program chooses it when it runs.
bool has_any_type(const Work& work, model::Index site);
// "Sum": the library's name for what the site does with elements; "Reduction" where its calls differ, or the program
// chooses when it runs.
std::string reduction_of(const Work& work, model::Index site);
// The only type among the site's calls whose elements have so many bytes; empty when there is none, or several.
std::string traced_type_of(const Work& work, model::Index site, uint32_t element_bytes);

}  // namespace cuco::rewrite
