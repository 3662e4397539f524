// What a process is to call when it ends: functions that it named with atexit, and the destructors of its globals. Every
// process has its own; those of libraries, which are there once, never run.
#pragma once

namespace cuco::vcluster {

// Those of the running process, the last one first. Each runs once, also when one of them calls exit.
void run_exit_functions();

// Functions of the C library end the process by themselves (argp_parse, err, error): from then on they end the rank.
void catch_exits_of_libraries();

}  // namespace cuco::vcluster
