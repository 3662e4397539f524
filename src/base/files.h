// Reading and writing whole files, and finding what ships with cuco.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cuco {

// Refuses directories and files above 64 MiB: nothing cuco reads whole is larger.
Result<std::string> read_file(const std::filesystem::path& path);

// The file appears whole or not at all: written beside its place, then renamed.
Status write_file(const std::filesystem::path& path, std::string_view content);

// The folder with device/ and profiles/: $CUCO_SHARE, else share/cuco beside the folder of the running binary.
Result<std::filesystem::path> share_folder();

}  // namespace cuco
