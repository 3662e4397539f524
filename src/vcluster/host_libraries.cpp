#include "vcluster/host_libraries.h"

#include <algorithm>
#include <set>

namespace cuco::vcluster {

namespace {

struct Row {
  std::string_view prefix;
  std::vector<std::string> names;
  std::string package;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {"cblas_", {"blas", "cblas", "openblas"}, "libblas-dev"},
      {"LAPACKE_", {"lapacke", "openblas"}, "liblapacke-dev"},
      {"fftwf_", {"fftw3f"}, "libfftw3-dev"},
      {"fftw_", {"fftw3"}, "libfftw3-dev"},
      {"gsl_", {"gsl"}, "libgsl-dev"},
  };
  return table;
}

}  // namespace

std::vector<HostLibrary> host_libraries_of(const std::vector<ImageSymbol>& symbols) {
  std::set<std::string> asked, defined;
  for (const ImageSymbol& symbol : symbols) (symbol.is_defined ? defined : asked).insert(symbol.name);
  std::vector<HostLibrary> found;
  for (const Row& row : rows()) {
    auto is_its = [&](const std::string& name) { return name.starts_with(row.prefix) && !defined.contains(name); };
    auto first = std::find_if(asked.begin(), asked.end(), is_its);
    if (first != asked.end()) found.push_back({*first, row.names, row.package});
  }
  return found;
}

}  // namespace cuco::vcluster
