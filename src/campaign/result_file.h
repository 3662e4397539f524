// Files that a command writes where the user says: traces, graphs, profiles. One that is there already is written over
// only when it begins as cuco's own do; anything else belongs to somebody.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cuco::campaign {

// What files of each kind begin with.
inline constexpr std::string_view kTraceBeginning = "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"blocks_left_out\":";
inline constexpr std::string_view kAccessesBeginning = "{\"";
inline constexpr std::string_view kGraphBeginning = "digraph communication {";
inline constexpr std::string_view kProfileBeginning = "# Written by cuco calibrate";

// An error names the file. Empty paths and what is no plain file, such as /dev/stdout, are fine.
Status check_result_file(const std::filesystem::path& path, std::string_view beginning);
Status write_result_file(const std::filesystem::path& path, const std::string& text, std::string_view beginning);

}  // namespace cuco::campaign
