// Host code does not see __CUDA_ARCH__, device code does: the same file preprocessed both ways gives two texts. This
// makes one of them, in which every function does on each side what that side's text says.
#pragma once

#include "frontend/clang_headers.h"
#include "vcluster/lowering_input.h"

namespace cuco::lowering {

// `device` and `host` are the trees of input.text and input.host_text. Declarations at file scope, in namespaces and in
// classes are matched by what they declare (name and signature), wherever the two texts have them. Where the bodies of
// a function differ, host functions take the host's, functions of both sides choose when they run. What only the host's
// text declares is added; of anything else that both declare, the device's text stands.
std::string merged_text(const vcluster::LoweringInput& input, clang::ASTUnit& device, clang::ASTUnit& host);

}  // namespace cuco::lowering
