// The device-communication section that a rewritten program carries, put together from the texts in sections/. Only
// what the plan needs is in it.
#pragma once

#include <map>
#include <set>
#include <string>

#include "model/program.h"
#include "space/plan.h"

namespace cuco::rewrite {

struct SectionNeeds {
  std::set<space::Backend> backends;
  std::map<std::string, model::Collective> calls;  // By callee. Empty: windows and the device communicator alone.
  uint32_t blocks_max = 1;
  bool exact = false;              // Receives ask for the bytes that are read.
  bool order = false;              // Loops over ranks ask which comes next.
  bool in_parts = false;           // Some grid is cut, and what it feeds is sent in parts.
  bool reduced_in_parts = false;   // Likewise, and reduced in parts.
  bool sliced = false;             // Some grid is cut, and what it feeds is left to the host.
  bool chunked = false;            // Exchanges in flight are sent in parts, by the slices that write them.
  bool fused = false;              // Some kernels send what they write.
  bool sending = false;            // Likewise, message by message.
  bool specialised = false;        // Likewise, and some of those by blocks that do nothing else.
  bool reducing = false;           // Some kernels reduce what they write.
  bool awaited_by_blocks = false;  // Some kernels wait for what they read.
  bool awaited_in_parts = false;   // Likewise, and messages come in parts.
  bool in_flight = false;          // Some exchange runs beside the program's work.
  bool beside = false;             // Some launches run beside each other.
  uint32_t lanes = 0;
  space::StreamPriority priority = space::StreamPriority::Default;
  bool groups = false;  // Calls stand in groups.
};

// Numbers by which kernels of the program's own get signals, barriers, contexts and memory. Stands before the set-up.
std::string knobs_section();
// The set-up: windows, communicators, what calls put together on the host. Opens the namespace and closes it.
std::string set_up_section(const SectionNeeds& needs);
// The code that moves bytes on the device. Likewise.
std::string device_section(const SectionNeeds& needs);

// "all_gather" for ncclAllGather: the function of the section that stands in for a call.
std::string function_of(const std::string& callee);

}  // namespace cuco::rewrite
