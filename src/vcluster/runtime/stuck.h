// Says who waits for what when a run cannot go on.
#pragma once

#include <string>

namespace cuco::vcluster {

class World;

// Adds findings of this kind: one for every host thread that waits and one for every group of GPU threads that do.
void report_stuck(World& run, const std::string& kind);

}  // namespace cuco::vcluster
