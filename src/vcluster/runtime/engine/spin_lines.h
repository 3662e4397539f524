// Where code goes round that never waits: the processor is made to stop after every instruction for a while, and the
// lines it comes by are collected.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cuco::vcluster {

// From a signal handler, whose third argument is `context`: watches the interrupted code and then calls `on_done`, in
// a handler again, with "file:line" of every line of the program that it came by. Does not wait for it.
void watch_lines(void* context, void (*on_done)(const std::vector<std::string>& lines));

// "file:line" of the program that the instruction is part of; empty when that is not known.
std::string line_of_code(uintptr_t address);

}  // namespace cuco::vcluster
