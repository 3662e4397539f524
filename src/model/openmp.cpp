#include "model/openmp.h"

#include <algorithm>

namespace cuco::model {

bool is_openmp_library(const std::string& library) {
  return library == "gomp" || library == "omp" || library == "iomp5";
}

bool has_openmp(const BuildFlags& flags) {
  return std::ranges::any_of(flags.libraries, is_openmp_library) ||
         std::ranges::any_of(flags.nvcc_options,
                             [](const std::string& word) { return word.find("-fopenmp") != word.npos; });
}

}  // namespace cuco::model
