// What is to be said of the emulated network and the cores that a run's times were measured with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluate/network_use.h"
#include "report/run_view.h"

namespace cuco::report {

// Of the entry's best look; nothing when no emulated NIC was between its ranks.
std::optional<evaluate::NetworkUse> network_use(const Entry& entry);

// For how much of its timed calls a rank had a thread that waited for a core; 0 of the virtual cluster.
double waited_share(const Entry& entry);

// "; not valid for timing", or nothing.
std::string doubt_words(const Entry& entry);

// A line each for the baseline and the best: link, floor, traffic, lateness; and one each that waited for cores too
// long.
std::vector<std::string> network_lines(const RunView& view);

}  // namespace cuco::report
