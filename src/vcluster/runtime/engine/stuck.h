// Says who waits for what when a run cannot go on.
#pragma once

#include <string>

namespace cuco::vcluster {

class World;
class Device;
struct Process;

// Adds findings of this kind: one for every host thread that waits and one for every group of GPU threads that do.
void report_stuck(World& run, const std::string& kind);

// What a rank does that others wait for, as the end of a sentence about it: "has ended", "waits at f.cu:52 for ...",
// "is at ncclReduce at f.cu:44 on its GPU".
std::string whereabouts(const Process& process, const Device& device);

}  // namespace cuco::vcluster
