// Which devices a process sees: all of its node, or that of its rank alone, as launchers can arrange.
#pragma once

namespace cuco::vcluster {

class Device;
struct Process;

// From the start of the run on.
void show_each_rank_its_own();

// Of a run whose ranks are processes.
bool sees(const Process& process, const Device& device);

}  // namespace cuco::vcluster
