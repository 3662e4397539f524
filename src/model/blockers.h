// Why a communication call cannot be made device-initiated.
#pragma once

#include <string>
#include <vector>

#include "model/comm_graph.h"

namespace cuco::model {

// One sentence each, with the names it is about; empty when nothing prevents it. Needs the site's operations and
// whether it is in the region.
std::vector<std::string> find_blockers(const Program& program, const Site& site);

// Every buffer that an instance of the site sends from or receives into, ascending. kNone stands for an operand that
// could not be traced to a buffer.
std::vector<Index> site_buffers(const Program& program, const Site& site);

}  // namespace cuco::model
