// How a kernel is written and used in a text: what the pass that cuts grids has to change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewrite/text/source_scan.h"

namespace cuco::rewrite {

// Every use of a kernel's name, which has no template arguments and no namespace here.
struct KernelLaunch {
  uint32_t begin = 0;  // Of the kernel's name.
  LaunchText text;
};
struct KernelUses {
  std::vector<KernelLaunch> launches;
  uint32_t declaration_count = 0;
  bool has_others = false;  // Its address is taken, or it is called in a way that is not understood.
};
KernelUses find_uses(std::string_view text, std::string_view name);

struct KernelText {
  uint32_t name = 0, parameters = 0;  // Of its name, and of the byte after "(".
  uint32_t parameters_end = 0;        // Of ")".
  bool has_parameters = false;
  uint32_t body = 0;  // Of the byte after "{".
  std::string text;   // From the parameters to the closing brace.
};
// The kernel whose definition lies in [begin, end).
std::optional<KernelText> read_kernel(std::string_view text, uint32_t begin, uint32_t end, std::string_view name);

// Functions other than kernels whose bodies ask which block they run in, or call one that does.
std::vector<std::string> functions_that_ask_for_block(const std::vector<std::string>& texts);

// Whether the word occurs outside of comments and strings.
bool mentions(std::string_view text, std::string_view word);

}  // namespace cuco::rewrite
