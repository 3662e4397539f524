// Libraries for the host whose functions programs check themselves with: named here, they need not be named with -l. What
// an image asks for tells which. Libraries that the user names come before them.
#pragma once

#include <string>
#include <vector>

#include "vcluster/image_symbols.h"

namespace cuco::vcluster {

struct HostLibrary {
  std::string asked;               // The first function of it that the image asks for.
  std::vector<std::string> names;  // For -l, the first that is installed; plain ones before those that start threads.
  std::string package;             // Of Debian and Ubuntu.
};

std::vector<HostLibrary> host_libraries_of(const std::vector<ImageSymbol>& symbols);

}  // namespace cuco::vcluster
