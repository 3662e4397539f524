// Files that cuco leaves among those of other people. A list beside them, in the format of sha256sum, says which are
// cuco's: what is there and not on the list, or was changed since, belongs to somebody else and is never written over.
// Whatever instant a process is killed at, what it wrote is on the list.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace cuco {

// Whether files of these names, seen from the list's folder, may be written. An error names the first that may not.
Status check_own_files(const std::filesystem::path& list, const std::vector<std::string>& names);

// Writes texts by name, none when one may not be written. What the list has besides, and nobody changed, is removed.
Status write_own_files(const std::filesystem::path& list, const std::map<std::string, std::string>& texts);

}  // namespace cuco
