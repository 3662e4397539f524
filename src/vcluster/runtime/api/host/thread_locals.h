// thread_local variables of the program. All host threads share one OS thread and so one block of such variables per
// image: whose values lie there changes with the thread that runs.
#pragma once

#include <cstdint>

namespace cuco::vcluster {

struct HostThread;
struct Process;

// The running thread has loaded the process's image; the values that are there are its own.
void adopt_thread_locals(const Process& process);

// Before the thread runs: puts its values in place.
void install_thread_locals(HostThread& thread);

// Whether one of the process's variables is there.
bool is_thread_local_of(const Process& process, uintptr_t address);

// At the thread's end, on the thread: runs the destructors of its variables and forgets their values.
void end_thread_locals(const HostThread& thread);

}  // namespace cuco::vcluster
