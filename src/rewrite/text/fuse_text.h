// The text of a kernel taken apart, so that its body can become a function that two kernels call.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cuco::rewrite {

struct KernelParts {
  uint32_t begin = 0;              // Of the template's head, or the first specifier.
  uint32_t body = 0;               // Of "{".
  uint32_t end = 0;                // After "}".
  std::string template_head;       // "template <int kTile>\n"; empty where it is none.
  std::string template_arguments;  // "<kTile>".
  std::string specifiers;          // "__global__ void __launch_bounds__(256)".
  std::string parameters;          // Without the parentheses.
  std::vector<std::string> names;  // Of the parameters.
};

// The kernel whose closing brace ends at `end`. The error is the end of a sentence that begins with the kernel's name.
Result<KernelParts> take_apart(std::string_view text, uint32_t end, std::string_view name);

// "__device__ __forceinline__ void gemm_body(const float* a, const uint3 blockIdx) ", with the template's head; with
// `takes_grid` the body is told gridDim, too.
std::string body_header(const KernelParts& kernel, const std::string& name, bool takes_grid = false);
// A kernel with the same head and the given text as its body.
std::string kernel_text(const KernelParts& kernel, const std::string& name, const std::string& more_parameters,
                        const std::string& body);
// "gemm_body<kTile>(a, n, blockIdx)".
std::string body_call(const KernelParts& kernel, const std::string& name, const std::string& block);

}  // namespace cuco::rewrite
