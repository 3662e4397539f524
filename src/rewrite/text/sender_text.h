// The text of a launch that is held back, and of a kernel that sends what it writes.
#pragma once

#include <string>

#include "base/result.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/fuse_text.h"
#include "rewrite/text/launched_kernel.h"

namespace cuco::rewrite {

// gemm<<<grid, 64, 0, stream>>>(a, c) becomes hold_sender(shapes, grid, 64, stream, [=](sending) { ... }).
void change_launch(Work& work, const model::Operation& operation, const SendingLaunch& launch,
                   const LaunchParts& parts);
// "gemm" becomes a function with its body, a kernel that calls it, and one that sends besides.
void write_kernels(Work& work, const model::Operation& launch, const LaunchParts& parts);

}  // namespace cuco::rewrite
