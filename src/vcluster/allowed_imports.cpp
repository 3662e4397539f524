#include "vcluster/allowed_imports.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace cuco::vcluster {

namespace {

struct ImportGroup {
  const char* what;
  const char* names;  // With blanks between; one that ends in * stands for all that begin so.
};

constexpr ImportGroup kAllowed[] = {
    {"libraries that the runner provides",
     "cuda* cuInit cuDevice* cuCtx* cublas* curand* cufft* cusparse* cusolver* nccl* MPI_* cuco_* nvtx* threadIdx "
     "blockIdx blockDim gridDim omp_* __kmpc_*"},
    {"the C++ runtime",
     "_Zn* _Zd* __cxa_* __gxx_personality_v0 _Unwind_Resume __dynamic_cast __stack_chk_fail "
     "__tls_get_addr __dso_handle __gmon_start__ _ITM_* _ZTVN10__cxxabiv1*"},
    {"the standard library", "_ZSt* _ZNSt* _ZNKSt* _ZNSo* _ZNSi* _ZTI* _ZTS* _ZTVSt* _ZTVNSt* _ZTTNSt*"},
    {"memory",
     "malloc calloc realloc free aligned_alloc posix_memalign memcpy memmove memset memcmp memchr bcmp "
     "__memcpy_chk __memmove_chk __memset_chk"},
    {"text",
     "strlen strnlen strcmp strncmp strchr strrchr strstr atoi atol atoll atof strtol strtoll strtoul strtoull "
     "strtod strtof __isoc23_strto* __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc tolower toupper"},
    {"printing",
     "printf fprintf snprintf vsnprintf vprintf vfprintf puts putchar fputs fputc putc fwrite fflush stdout "
     "stderr __printf_chk __fprintf_chk __snprintf_chk __vsnprintf_chk"},
    {"sorting and drawing", "qsort bsearch rand srand rand_r"},
    {"failing", "abort exit __assert_fail __errno_location strerror"},
    {"arithmetic", "abs labs llabs div ldiv"},
    {"functions of <math.h>, with f or l behind them",
     "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 fabs fdim floor "
     "fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan "
     "nearbyint nextafter pow remainder rint round scalbn sin sincos sinh sqrt tan tanh tgamma trunc"},
};

// Of the standard library's: what reaches the system all the same, and what follows pointers of nodes that a program
// can forge.
constexpr const char* kReaching[] = {"6thread", "10filesystem", "filebuf", "fstream",  "13random_device",
                                     "6chrono", "_V28jthread",  "async",   "_Rb_tree", "_List_node_base"};

bool matches(std::string_view name, std::string_view pattern) {
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return name == pattern;
}

bool is_in(std::string_view name, std::string_view names) {
  for (const std::string& pattern : split(names, ' '))
    if (matches(name, pattern)) return true;
  return false;
}

bool is_of_math(std::string_view name, std::string_view names) {
  if (is_in(name, names)) return true;
  return (name.ends_with('f') || name.ends_with('l')) && is_in(name.substr(0, name.size() - 1), names);
}

}  // namespace

bool is_allowed_import(std::string_view name) {
  if (name.starts_with("_Z"))
    for (const char* part : kReaching)
      if (name.find(part) != name.npos) return false;
  const ImportGroup& math = std::end(kAllowed)[-1];
  return is_of_math(name, math.names) || std::any_of(std::begin(kAllowed), std::end(kAllowed),
                                                     [&](const auto& group) { return is_in(name, group.names); });
}

std::vector<std::string> unusual_imports(const std::vector<ImageSymbol>& symbols) {
  std::set<std::string> names;
  for (const ImageSymbol& symbol : symbols) {
    std::string name = symbol.name.substr(0, symbol.name.find('@'));
    if (!symbol.is_defined && !name.empty() && !is_allowed_import(name)) names.insert(name);
  }
  return {names.begin(), names.end()};
}

}  // namespace cuco::vcluster
