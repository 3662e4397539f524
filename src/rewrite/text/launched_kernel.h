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
const Operation* launch_at(const Work& work, const std::string& place);

// Configuration and arguments, as one text.
std::string text_of(const LaunchText& launch);
// Whether evaluating them changes something.
bool has_side_effects(const LaunchText& launch);

// Why the kernel cannot be told that it is another block: how it would go on after its name; empty when it can.
std::string block_obstacle(const Work& work, const model::Kernel& kernel, const std::string& text);

// Whether all that the forms are about lies behind parameters that are pointers, and not in structures.
bool are_behind_pointers(const model::Kernel& kernel, const std::vector<AccessForm>& forms);
bool is_pointer(const model::Kernel& kernel, uint32_t parameter);

// A launch and its kernel, taken apart.
struct LaunchParts {
  LaunchText launch;
  KernelParts kernel;
  std::string name;    // Of the kernel, without template arguments.
  std::string called;  // As the launch names it, "gemm<64, 4>".
};
// What kernels that are made of one need of its text.
struct KernelNeeds {
  std::vector<const char*> names = {"fused", "block"};  // Of theirs, that no parameter has.
  std::vector<const char*> suffixes = {"_body"};        // Of new names.
  bool all_threads_end = true;                          // Something comes behind its body.
};
// For a kernel whose body becomes a function that it and others call. The error goes on after the kernel's name.
Result<LaunchParts> launch_parts(const Work& work, const Operation& launch, const KernelNeeds& needs = {});

}  // namespace cuco::rewrite
