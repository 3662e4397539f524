// Hosts files, in the form that Open MPI reads: a host a line, with how many ranks it takes, one per GPU.
//
//     # comment
//     node1 slots=4
//     node2 slots=4
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/result.h"

namespace cuco::gpu {

struct Host {
  std::string name;
  uint32_t slots = 1;

  bool operator==(const Host&) const = default;
};

// Errors begin with `file:line:`. No host appears twice, and there is at least one.
Result<std::vector<Host>> parse_hosts(std::string_view text, const std::string& file);
Result<std::vector<Host>> read_hosts(const std::filesystem::path& file, const Environment& environment);

// An error when the slots are fewer than the ranks.
Status check_slots(const std::vector<Host>& hosts, uint32_t rank_count, const std::string& file);

}  // namespace cuco::gpu
