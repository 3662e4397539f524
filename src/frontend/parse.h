// From files to Clang's syntax trees, or to messages a person can act on.
#pragma once

#include <memory>

#include "base/result.h"
#include "frontend/clang_headers.h"
#include "frontend/frontend.h"

namespace cuco::frontend {

struct ParsedFile {
  std::string path;
  std::string text;
  std::unique_ptr<clang::ASTUnit> unit;
  // Parsed once more as a GPU's compiler sees it, when the text asks for __CUDA_ARCH__; else null.
  std::unique_ptr<clang::ASTUnit> device_unit;
  std::string device_error;
};

// Clang may meet input that brings it down: call it inside run_guarded().
Result<std::vector<ParsedFile>> parse_files(const ParseRequest& request);

// Runs work on a stack of its own, deep enough for nested source, and survives a crash in it. False after a crash.
bool run_guarded(llvm::function_ref<void()> work);

}  // namespace cuco::frontend
