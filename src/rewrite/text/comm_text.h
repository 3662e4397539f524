// What a rewritten program says to the communication library (device/cuco/comm): how each call goes, which headers that
// needs, and what set-up has to provide.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "rewrite/passes/pass.h"

namespace cuco::rewrite {

// "all_gather" for ncclAllGather: the function of the library that stands in for a call.
std::string function_of(const std::string& callee);

// "cuco::comm::lsa<1>.blocks(4)": how the site's call goes.
std::string route_of(Work& work, Index site);
// "cuco::comm::Lsa": the paths that sites go by.
std::vector<std::string> paths_of(const Work& work);
// "cuco::comm::open_all<cuco::comm::Lsa>(OPTIONS);", and what OPTIONS are; empty for the library's own.
std::string open_text(const Work& work, const std::string& options);
std::string options_of(const Work& work);
// "fused.cuh": those that include the others.
std::set<std::string> headers_of(const Work& work);

// The NCCL types that the site's calls have, each with the type of its elements. One that no rule reduces is an
// obstacle; one that the program chooses when it runs is left out.
std::map<std::string, std::string> element_types_of(Work& work, Index site);
// "Sum": the library's name for what the site does with elements; "Reduction" where its calls differ, or the program
// chooses when it runs.
std::string reduction_of(const Work& work, Index site);
// The only type among the site's calls whose elements have so many bytes; empty when there is none, or several.
std::string traced_type_of(const Work& work, Index site, uint32_t element_bytes);

}  // namespace cuco::rewrite
