// Host code does not see __CUDA_ARCH__, device code does: the same file preprocessed both ways gives two texts. This
// makes one of them, in which every function does on each side what that side's text says.
#pragma once

#include "frontend/clang_headers.pch.h"
#include "model/lowering.h"

namespace cuco::frontend {

// `device` and `host` are the trees of input.text and input.host_text. Functions are matched by name and line. Where
// their bodies differ, host functions take the host's, functions of both sides choose when they run. Declarations at
// file scope that only the host's text has are added.
// Limits: declarations inside namespaces and classes that only one text has are not merged.
std::string merged_text(const model::LoweringInput& input, clang::ASTUnit& device, clang::ASTUnit& host);

}  // namespace cuco::frontend
