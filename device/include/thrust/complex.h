// thrust::complex is the standard library's.
#pragma once

#include <complex>

namespace thrust {
using std::abs;
using std::arg;
using std::complex;
using std::conj;
using std::exp;
using std::norm;
using std::polar;
using std::sqrt;
}  // namespace thrust
