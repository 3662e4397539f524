// What a kernel is called in reports.
#pragma once

#include <string>

namespace cuco::vcluster {

// Where a template refers to a kernel its text says which parameters, and the symbol which values: "reduce<1, float>"
// of "reduce<kWays, T>". As written where the image does not say more.
std::string instance_name(const std::string& written, const void* address);

}  // namespace cuco::vcluster
