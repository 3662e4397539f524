#include "frontend/mismatch_notes.h"

#include "base/text.h"

namespace cuco::frontend {

std::string mismatch_in(std::string_view note) {
  constexpr std::string_view kReason = " not viable: ";
  size_t at = note.find(kReason);
  return at == note.npos ? "" : concat("; ", note.substr(at + kReason.size()));
}

std::string kernels_hint(std::string_view message) {
  for (std::string_view name : {"threadIdx", "blockIdx", "blockDim", "gridDim", "__syncthreads"})
    if (message == concat("use of undeclared identifier '", name, "'"))
      return "; kernels are read in files whose names end in .cu; -x cu reads all files as CUDA";
  return "";
}

}  // namespace cuco::frontend
