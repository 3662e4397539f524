// How checkers of single accesses name things, and report each fault once.
#pragma once

#include <string>

#include "model/finding_kinds.h"
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
// The same with the line of an access behind it: "kernel k launched at file.cu:9, block 0 thread 3: file.cu:12".
std::string describe_running(const AccessSite* site);
int running_rank();

// "`u[4]` (byte 16 of 400 from cudaMalloc at file.cu:5)" and its like; without a name "byte 16 of 400 from ...". The
// rank whose memory it is is named unless it is `own_rank`.
std::string describe_memory(uintptr_t address, int own_rank);

// Adds the finding, or the rank to the one of this kind that was made for this place.
void report_once(const std::string& kind, int rank, const std::string& place, const std::string& text,
                 model::Severity severity = model::Severity::Error);

}  // namespace cuco::vcluster
