// Errors of the CUDA driver as sentences.
#pragma once

#include <cuda.h>

#include <string>

#include "nic/result.h"

namespace cuco::nic {

inline Error cuda_error(const char* what, CUresult code) {
  const char* text = nullptr;
  cuGetErrorString(code, &text);
  return Error{std::string(what) + ": " + (text ? text : "unknown error") + " (CUDA " +
               std::to_string(static_cast<int>(code)) + ")"};
}

}  // namespace cuco::nic
