// Reading and writing whole files, and finding what ships with cuco.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cuco {

// What a file that people or tools wrote for cuco may have.
constexpr uintmax_t kFileBytesMax = 64u << 20;

// Refuses directories and larger files.
Result<std::string> read_file(const std::filesystem::path& path, uintmax_t bytes_max = kFileBytesMax);

// The file appears whole or not at all: written beside its place, then renamed.
Status write_file(const std::filesystem::path& path, std::string_view content);

// The folder with device/ and profiles/: $CUCO_SHARE, else share/cuco beside the folder of the running binary.
Result<std::filesystem::path> share_folder();

}  // namespace cuco
