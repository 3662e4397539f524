// What the passes that change kernels and their launches ask about both.
#pragma once

#include <string>

#include "rewrite/passes/pass.h"
#include "rewrite/text/fuse_text.h"
#include "rewrite/text/launch_text.h"

namespace cuco::rewrite {

// Without namespace and template arguments.
std::string plain_name(const std::string& name);

// The launch of a known kernel at the place ("file:line"), if the analysis has found one.
const model::Operation* launch_at(const Work& work, const std::string& place);

// Configuration and arguments, as one text.
std::string text_of(const LaunchText& launch);
// Whether evaluating them changes something.
bool has_side_effects(const LaunchText& launch);

// Why the kernel cannot be told that it is another block: how it would go on after its name; empty when it can.
std::string block_obstacle(const Work& work, const model::Kernel& kernel, const std::string& text);

// Why the kernel's body cannot become a function that it and a kernel with one more parameter call: likewise.
std::string text_obstacle(const Work& work, const model::Kernel& kernel, const KernelParts& parts,
                          const std::string& name);

// What is held back until a call: a launch and its kernel, taken apart.
struct LaunchParts {
  LaunchText launch;
  KernelParts kernel;
  std::string name;  // Of the kernel, without template arguments.
};
// The error goes on after the kernel's name.
Result<LaunchParts> launch_parts(const Work& work, const model::Operation& launch);

}  // namespace cuco::rewrite
