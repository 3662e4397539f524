// Why a communication call cannot be made device-initiated, or not straight from and to its own buffers.
#pragma once

#include <string>
#include <vector>

#include "model/comm_graph.h"

namespace cuco::model {

// One sentence each, with the names it is about; empty when nothing prevents it. Needs the site's operations and
// whether it is in the region.
std::vector<std::string> find_blockers(const Program& program, const Site& site);

// Likewise, why the buffers of a site cannot be windows. Its bytes then go through staging memory of the library, which
// needs nothing of a buffer but its address when the call is made.
std::vector<std::string> find_staging(const Program& program, const Site& site);

// Of a program whose host makes no communication call.
std::string why_no_sites(const Program& program);

// Every buffer that an instance of the site sends from or receives into, ascending. kNone stands for an operand that
// could not be traced to a buffer.
std::vector<Index> site_buffers(const Program& program, const Site& site);

}  // namespace cuco::model
