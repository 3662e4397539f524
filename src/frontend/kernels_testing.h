// Kernels as one line of text each, so that tests need none of Clang's headers.
#pragma once

#include <filesystem>
#include <string>

namespace cuco::frontend {

// "gemm: a read, b read, c write; shared 8192; barriers 2; launch_bounds(256)", a line per kernel of the program.
// Access words: read, write, read_write, untouched; "?" follows one that is assumed. `share` is the folder that holds
// device/include. What Clang reports as errors replaces the lines.
std::string describe_kernels(const std::string& code, const std::filesystem::path& share);

// The text that Kernel::range covers, between bars, with "fixed " before what cannot be edited.
std::string kernel_texts(const std::string& code, const std::filesystem::path& share);

}  // namespace cuco::frontend
