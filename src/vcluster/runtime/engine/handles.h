// What programs hold in place of the runner's objects: numbers that look like pointers and lead nowhere. A handle that
// was never given out, is of another kind or was closed finds nothing.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "vcluster/runtime/gpu/memory.h"

namespace cuco::vcluster {

template <typename Object>
class Handles {
 public:
  static Object* open(Object* object) {
    objects().push_back(object);
    return reinterpret_cast<Object*>(first() + kStep * objects().size());
  }
  // The object behind the handle, or null.
  static Object* find(const void* handle) {
    Object** place = place_of(handle);
    return place ? *place : nullptr;
  }
  // The object is its owner's to delete; null when the handle named none.
  static Object* close(const void* handle) {
    Object** place = place_of(handle);
    return place ? std::exchange(*place, nullptr) : nullptr;
  }

 private:
  static constexpr uintptr_t kStep = 16;

  static std::vector<Object*>& objects() {
    static std::vector<Object*> all;
    return all;
  }
  // Of addresses that handles of this kind alone have.
  static uintptr_t first() {
    static const uintptr_t base = next_handle_range();
    return base;
  }
  static Object** place_of(const void* handle) {
    uintptr_t offset = reinterpret_cast<uintptr_t>(handle) - first();
    bool is_known = offset % kStep == 0 && offset >= kStep && offset / kStep <= objects().size();
    return is_known ? &objects()[offset / kStep - 1] : nullptr;
  }
};

}  // namespace cuco::vcluster
