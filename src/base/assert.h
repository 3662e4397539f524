// CUCO_ASSERT states what only a bug in cuco can break. It stays on in every build; no input may reach a failing one.
#pragma once

namespace cuco {

[[noreturn]] void fail_assertion(const char* condition, const char* file, int line);

}  // namespace cuco

#define CUCO_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::cuco::fail_assertion(#condition, __FILE__, __LINE__))
