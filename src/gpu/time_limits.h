// How long programs of this machine may take that cuco asks or has compile.
#pragma once

namespace cuco::gpu {

inline constexpr int kProbeMsMax = 10'000;
inline constexpr int kNvccMsMax = 300'000;

}  // namespace cuco::gpu
