#include "model/openmp.h"

#include <algorithm>

namespace cuco::model {

bool has_openmp(const BuildFlags& flags) {
  return std::ranges::any_of(flags.nvcc_options,
                             [](const std::string& word) { return word.find("-fopenmp") != word.npos; });
}

}  // namespace cuco::model
