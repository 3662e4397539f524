// What a program that cuco does not trust left behind, in a folder that it could write to.
#pragma once

#include "base/files.h"

namespace cuco {

// Plain files only: no links, no devices, and no pipes, on which reading would wait for ever.
Result<std::string> read_untrusted_file(const std::filesystem::path& path, uintmax_t bytes_max = kFileBytesMax);

}  // namespace cuco
