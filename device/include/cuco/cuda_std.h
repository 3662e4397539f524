// cuda::std is the standard library usable on the device; here the host's own serves both.
#pragma once

namespace cuda::std {
using namespace ::std;
}  // namespace cuda::std
