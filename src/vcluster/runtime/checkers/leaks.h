// What a process leaves behind when it ends. A warning: the program may be right and merely untidy.
// Findings: leak, and collective_mismatch for a group that was never ended.
#pragma once

namespace cuco::vcluster {

class Device;
struct Process;

// An object that the program must give back by calling `undo`. The running host thread has just made it.
void note_open(const Process& process, const void* object, const char* what, const char* undo);
void note_closed(const void* object);
// Everything that was made on the device is gone.
void note_reset(const Process& process);

void check_leaks(const Process& process);

}  // namespace cuco::vcluster
