// How checkers of single accesses name things, and report each fault once.
#pragma once

#include <string>

#include "vcluster/runtime/checkers/access.h"

extern "C" {
// Where the program stands as it calls the library: the checking build sets it before every such call.
extern const cuco::vcluster::AccessSite* cuco_call_site;
}

namespace cuco::vcluster {

// "file.cu:12"; empty when the place is not known.
std::string place_of(const AccessSite* site);
// " at file.cu:12" of the library call that is being made, or empty.
std::string at_call_site();

// "rank 1, kernel k launched at file.cu:9, block 0 thread 3" or "host thread 0 of rank 1".
std::string describe_running();
int running_rank();

// "byte 16 of 400 bytes from cudaMalloc at file.cu:5 on rank 0" and its like.
std::string describe_memory(uintptr_t address);

// Adds the finding unless one of this kind was made for this place.
void report_once(const std::string& kind, int rank, const std::string& place, const std::string& text);

}  // namespace cuco::vcluster
