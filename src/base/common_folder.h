// Where the files of a program lie together.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cuco {

// The deepest folder that all of these files, of which there is one at least, lie in, in it or further down; absolute.
std::filesystem::path common_folder(const std::vector<std::string>& files);

// Whether a path, absolute and normal, lies in the folder or further down.
bool lies_below(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace cuco
