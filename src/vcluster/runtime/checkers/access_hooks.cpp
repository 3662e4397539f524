// What the checking build calls: every access of the program goes through the checkers, one after the other.
#include "base/text.h"
#include "vcluster/runtime/checkers/bounds.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/checkers/host_access.h"
#include "vcluster/runtime/checkers/initialised.h"
#include "vcluster/runtime/checkers/report.h"
#include "vcluster/runtime/checkers/shadow.h"
#include "vcluster/runtime/world.h"

using namespace cuco::vcluster;

namespace {

// As the compiler plugin packs them.
struct Flags {
  uint32_t bits;
  AccessKind kind() const { return static_cast<AccessKind>(bits & 7); }
  AccessOrder order() const { return static_cast<AccessOrder>(bits >> 3 & 7); }
  AccessScope scope() const { return static_cast<AccessScope>(bits >> 6 & 3); }
  uintptr_t alignment() const { return uintptr_t{1} << (bits >> 8 & 31); }
  bool copies_object() const { return bits >> 13 & 1; }
  bool has_no_place() const { return bits >> 15 & 1; }
  bool is_library() const { return bits >> 14 & 1; }
};

bool is_device_or_shared(uintptr_t address) {
  return device_of(address) >= 0 || (address >= kSharedBase && address < kSharedEnd);
}

// Most accesses: one word or two of memory that is there and was written.
bool is_plainly_fine(uintptr_t address, uint64_t bytes) {
  if ((bytes != 4 && bytes != 8) || address % bytes != 0 || !shadow().covers(address, bytes)) return false;
  return *shadow_at(address) == 0xff && *shadow_at(address + bytes - 1) == 0xff;
}

void device_access(const Access& access, Flags flags) {
  if (!is_plainly_fine(access.address, access.bytes) || access.address % flags.alignment() != 0) {
    check_bounds(access, flags.alignment());
    if (is_device_or_shared(access.address)) check_initialised(access, flags.copies_object());
  }
  if (flags.has_no_place()) return;
  host_races().on_kernel_access(access);
  races().on_access(access);
}

void host_access(const Access& access) {
  if (is_device_or_shared(access.address)) {
    if (is_write(access.kind)) shadow().set_written(access.address, access.bytes);
    check_host_bounds(access);
  }
  host_races().on_access(access, "");
}

bool is_gpu_stack(uintptr_t address) { return address >= kDeviceStackBase && address < kHostStackBase; }

}  // namespace

extern "C" {

void cuco_access(const void* pointer, uint64_t bytes, uint32_t packed, const AccessSite* site) {
  Flags flags = {packed};
  Access access = {reinterpret_cast<uintptr_t>(pointer),
                   static_cast<uint32_t>(bytes),
                   flags.kind(),
                   flags.order(),
                   flags.scope(),
                   site};
  if (bytes == 0 || is_gpu_stack(access.address)) return;
  if (flags.is_library()) {
    if (is_device_or_shared(access.address)) shadow().set_written(access.address, bytes);
  } else if (current_thread) {
    device_access(access, flags);
  } else if (world && world->current_host) {
    host_access(access);
  }
}

// Stand-ins for atomics report themselves: only they know the order and scope.
void cuco_atomic_access(const void* pointer, int bytes, int kind, int order, int scope) {
  uint32_t packed = static_cast<uint32_t>(kind) | static_cast<uint32_t>(order) << 3 | static_cast<uint32_t>(scope) << 6;
  cuco_access(pointer, static_cast<uint64_t>(bytes), packed, cuco_call_site);
}

void cuco_release(const void* address, uint64_t bytes, const AccessSite* site) {
  if (current_thread) return;
  host_races().on_release(address, bytes, cuco::concat(place_of(site), " gives up"));
}

void cuco_shared_variable(const void* address, uint64_t bytes) { announce_shared_variable(address, bytes); }
}
