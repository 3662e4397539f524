// What the checking build calls: every access of the program goes through the checkers, one after the other. Accesses
// of the usual sizes first take a short way that serves memory in a state that nobody has anything to say about.
#include <algorithm>

#include "base/text.h"
#include "vcluster/runtime/checkers/bounds.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/checkers/host_access.h"
#include "vcluster/runtime/checkers/initialised.h"
#include "vcluster/runtime/checkers/report.h"
#include "vcluster/runtime/checkers/shadow.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/async_copies.h"
#include "vcluster/runtime/gpu/device.h"
#include "vcluster/runtime/recording/access_recorder.h"
#include "vcluster/runtime/recording/validity.h"

using namespace cuco::vcluster;

extern "C" {
extern uint64_t cuco_own_tag;
void cuco_access(const void* pointer, uint64_t bytes, uint32_t packed, const AccessSite* site);
}

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
  bool carries() const { return bits >> 16 & 1; }
  bool is_counted() const { return bits >> 17 & 1; }  // As traffic, on a shorter way.
};

bool is_device_or_shared(uintptr_t address) {
  return device_of(address) >= 0 || (address >= kSharedBase && address < kSharedEnd);
}

void device_access(const Access& access, Flags flags) {
  check_bounds(access, flags.alignment());
  // Bytes that are under way are not written yet: that they are under way says more.
  if (checks_async_copies && !flags.has_no_place() && check_async_copies(access)) {
    shadow().set_written(access.address, access.bytes);  // One cause, one finding.
    return;
  }
  if (is_device_or_shared(access.address) && !flags.carries()) check_initialised(access, flags.copies_object());
  if (flags.has_no_place()) return;
  host_races().on_kernel_access(access);
  races().on_access(access);
}

void host_access(const Access& access) {
  if (is_atomic(access.kind)) {
    const void* place = reinterpret_cast<const void*>(access.address);
    races().host_acquire(place);
    if (is_write(access.kind)) races().host_release(place);
  }
  if (is_device_or_shared(access.address)) {
    if (is_write(access.kind)) shadow().set_written(access.address, access.bytes);
    check_host_bounds(access);
  }
  host_races().on_access(access, "");
}

// The bits of a byte of shadow that an access to `bytes` bytes at the address is about, without their halves.
constexpr unsigned shadow_mask(uintptr_t address, unsigned bytes) {
  return bytes >= RaceCells::kWord ? 15u : ((1u << bytes) - 1) << address % RaceCells::kWord;
}

// Whether the word may be touched and was written; it is, when this is what the access does.
template <bool kWrites>
bool is_usable(uintptr_t address, unsigned mask) {
  uint8_t& state = *shadow_at(address);
  unsigned needed = kWrites ? mask << 4 : mask << 4 | mask;
  if ((state & needed) != needed) return false;
  if (kWrites) state = static_cast<uint8_t>(state | mask);
  return true;
}

// An aligned access of a GPU thread that is in order with all before it, on memory that may be touched and was written.
// False: it has to be looked at, and nothing is done yet or may be done again.
template <unsigned kBytes, bool kWrites>
inline bool is_plainly_fine(uintptr_t address, const AccessSite* site) {
  constexpr uintptr_t kWord = RaceCells::kWord;
  RaceCell* cell = quick_pages.find(address);
  if (!cell || address % kBytes != 0 || site->number == 0) return false;
  const Past& past = address < kSharedEnd ? running_moment.shared : running_moment.device;
  unsigned mask = shadow_mask(address, kBytes);
  PackedAccess now =
      PackedAccess::make(running_moment.stamp, mask, kWrites ? AccessKind::Write : AccessKind::Read, site->number);
  for (unsigned word = 0; word < std::max<unsigned>(kBytes / kWord, 1); word++) {
    if (!is_usable<kWrites>(address + word * kWord, mask)) return false;
    if (!(kWrites ? cell[word].overwrite(now, past) : cell[word].read(now, past))) return false;
  }
  return true;
}

template <unsigned kBytes, bool kWrites>
[[gnu::noinline]] void look_at(const void* pointer, const AccessSite* site, uint32_t flags = 0) {
  auto kind = static_cast<uint32_t>(kWrites ? AccessKind::Write : AccessKind::Read);
  constexpr uint32_t kAlignment = static_cast<uint32_t>(__builtin_ctz(kBytes)), kSystem = 2, kIsCounted = 1u << 17;
  cuco_access(pointer, kBytes, flags | kIsCounted | kind | kSystem << 6 | kAlignment << 8, site);
}

template <unsigned kBytes, bool kWrites>
void access(const void* pointer, const AccessSite* site);

[[gnu::noinline]] void record(const Access& access) {
  if (!current_thread) return;
  if (access.kind == AccessKind::AtomicUpdate) return access_recorder().on_atomic_update(access.address, access.bytes);
  access_recorder().on_access(access.address, access.bytes, !is_write(access.kind), is_write(access.kind));
}

// Loads and stores on the memory of another device are traffic between the two.
[[gnu::noinline]] void count_peer_access(uintptr_t address, uint64_t bytes, bool writes) {
  if (!current_thread) return;
  int peer = device_of(address), self = current_block->grid().device().rank;
  current_block->grid().traffic.add(writes ? self : peer, writes ? peer : self, cuco::model::Carrier::Lsa, bytes);
}

inline void count_traffic(const void* pointer, uint64_t bytes, bool writes) {
  constexpr uint64_t kFirst = kDeviceBase >> kDeviceShift, kCount = (kDeviceStackBase - kDeviceBase) >> kDeviceShift;
  auto address = reinterpret_cast<uintptr_t>(pointer);
  uint64_t tag = address >> kDeviceShift;
  if (tag - kFirst < kCount && tag != cuco_own_tag) count_peer_access(address, bytes, writes);
}

bool is_gpu_stack(uintptr_t address) { return address >= kDeviceStackBase && address < kHostStackBase; }

// Threads keep arrays of their own on their stacks, and what they do there is most of what some of them do.
template <unsigned kBytes, bool kWrites>
inline void record_plain(const void* pointer) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  if (address < kSharedEnd || is_gpu_stack(address)) return;
  if (access_recorder().knows<kBytes, kWrites>(current_block, address)) return;
  record({address, kBytes, kWrites ? AccessKind::Write : AccessKind::Read});
}

// What lies in shared memory came from elsewhere.
template <unsigned kBytes, bool kWrites>
inline void follow(const void* pointer) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  if (!kWrites && device_of(address) < 0) return;
  if (kWrites)
    on_write(address, kBytes);
  else
    on_read(address, kBytes);
}

void follow(const Access& access, bool carries) {
  if (access.kind == AccessKind::AtomicUpdate) return on_update(access.address, access.bytes);
  if (is_write(access.kind)) return on_write(access.address, access.bytes);
  bool is_data = access.kind == AccessKind::Read && !carries;  // Not a flag, and used here.
  if (is_data) return on_read(access.address, access.bytes);
  if (device_of(access.address) >= 0) validity().provide(access.address, access.bytes);
}

// Of host code, which loops over gigabytes while nothing else is under way.
template <unsigned kBytes, bool kWrites>
inline void access_by_host(const void* pointer, const AccessSite* site) {
  if (host_races().is_quiet() && !is_device_or_shared(reinterpret_cast<uintptr_t>(pointer))) return;
  look_at<kBytes, kWrites>(pointer, site);
}

// The first access since another thread ran or this one synchronised. Out of line, like look_at(): the short way then
// needs no frame of its own.
template <unsigned kBytes, bool kWrites>
[[gnu::noinline]] void access_at_next_moment(const void* pointer, const AccessSite* site) {
  if (!current_thread) return access_by_host<kBytes, kWrites>(pointer, site);
  races().find_moment();
  access<kBytes, kWrites>(pointer, site);
}

template <unsigned kBytes, bool kWrites>
inline void access(const void* pointer, const AccessSite* site) {
  if (keeps_validity) return follow<kBytes, kWrites>(pointer);
  if (only_keeps_accesses) return record_plain<kBytes, kWrites>(pointer);
  if (keeps_accesses) record_plain<kBytes, kWrites>(pointer);
  if (checks_async_copies) return look_at<kBytes, kWrites>(pointer, site);
  if (running_moment.thread != reinterpret_cast<uintptr_t>(current_thread) || !current_thread)
    return access_at_next_moment<kBytes, kWrites>(pointer, site);
  if (is_plainly_fine<kBytes, kWrites>(reinterpret_cast<uintptr_t>(pointer), site)) return;
  look_at<kBytes, kWrites>(pointer, site);
}

template <unsigned kBytes, bool kWrites>
inline void see(const void* pointer, const AccessSite* site) {
  count_traffic(pointer, kBytes, kWrites);
  access<kBytes, kWrites>(pointer, site);
}

template <unsigned kBytes>
inline void carry(const void* pointer, const AccessSite* site) {
  constexpr uint32_t kCarries = 1u << 16;
  count_traffic(pointer, kBytes, false);
  if (keeps_validity) return follow({reinterpret_cast<uintptr_t>(pointer), kBytes}, true);
  if (only_keeps_accesses) return record_plain<kBytes, false>(pointer);
  if (keeps_accesses) record_plain<kBytes, false>(pointer);
  bool same_moment = running_moment.thread == reinterpret_cast<uintptr_t>(current_thread);
  if (same_moment && !checks_async_copies && is_plainly_fine<kBytes, false>(reinterpret_cast<uintptr_t>(pointer), site))
    return;
  look_at<kBytes, false>(pointer, site, kCarries);
}

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
  // The stand-in's own store is reported too.
  bool is_stored_again = access.kind == AccessKind::AtomicWrite && !flags.is_library();
  if (!flags.is_counted() && !is_stored_again) count_traffic(pointer, bytes, is_write(access.kind));
  if (keeps_validity) return follow(access, flags.carries());
  if (keeps_accesses) record(access);
  if (only_keeps_accesses) return;
  if (flags.is_library()) {
    if (is_device_or_shared(access.address)) shadow().set_written(access.address, bytes);
  } else if (current_thread) {
    device_access(access, flags);
  } else if (world && world->current_host) {
    host_access(access);
  }
}

// Plain accesses that are aligned as their size asks.
void cuco_read1(const void* pointer, const AccessSite* site) { see<1, false>(pointer, site); }
void cuco_read2(const void* pointer, const AccessSite* site) { see<2, false>(pointer, site); }
void cuco_read4(const void* pointer, const AccessSite* site) { see<4, false>(pointer, site); }
void cuco_read8(const void* pointer, const AccessSite* site) { see<8, false>(pointer, site); }
void cuco_read16(const void* pointer, const AccessSite* site) { see<16, false>(pointer, site); }
void cuco_carry1(const void* pointer, const AccessSite* site) { carry<1>(pointer, site); }
void cuco_carry2(const void* pointer, const AccessSite* site) { carry<2>(pointer, site); }
void cuco_carry4(const void* pointer, const AccessSite* site) { carry<4>(pointer, site); }
void cuco_carry8(const void* pointer, const AccessSite* site) { carry<8>(pointer, site); }
void cuco_carry16(const void* pointer, const AccessSite* site) { carry<16>(pointer, site); }
// What was never written is never written in the copy either.
void cuco_carried(const void* to, const void* from, uint64_t bytes) {
  if (only_keeps_accesses) return;
  auto target = reinterpret_cast<uintptr_t>(to), source = reinterpret_cast<uintptr_t>(from);
  if (keeps_validity) return on_carried(target, source, bytes);
  if (!current_thread || !is_device_or_shared(target) || !is_device_or_shared(source)) return;
  if (shadow().first_without(ShadowBit::Written, source, bytes) == 0) return;
  shadow().put_written(target, shadow().written(source, bytes));
}
void cuco_write1(const void* pointer, const AccessSite* site) { see<1, true>(pointer, site); }
void cuco_write2(const void* pointer, const AccessSite* site) { see<2, true>(pointer, site); }
void cuco_write4(const void* pointer, const AccessSite* site) { see<4, true>(pointer, site); }
void cuco_write8(const void* pointer, const AccessSite* site) { see<8, true>(pointer, site); }
void cuco_write16(const void* pointer, const AccessSite* site) { see<16, true>(pointer, site); }

// Several loads of one line.
void cuco_reads4(const void* first, uint64_t count, uint64_t stride, const AccessSite* site) {
  const char* at = static_cast<const char*>(first);
  if (reinterpret_cast<uintptr_t>(first) < kSharedEnd && (only_keeps_accesses || keeps_validity)) return;
  for (uint64_t i = 0; i < count; i++, at += stride) see<4, false>(at, site);
}

// Stand-ins for atomics report themselves: only they know the order and scope.
void cuco_atomic_access(const void* pointer, int bytes, int kind, int order, int scope) {
  uint32_t packed = static_cast<uint32_t>(kind) | static_cast<uint32_t>(order) << 3 | static_cast<uint32_t>(scope) << 6;
  cuco_access(pointer, static_cast<uint64_t>(bytes), packed, cuco_call_site);
}

void cuco_release(const void* address, uint64_t bytes, const AccessSite* site) {
  if (current_thread || only_keeps_accesses || keeps_validity) return;
  host_races().on_release(address, bytes, cuco::concat(place_of(site), " gives up"));
}

void cuco_shared_variable(const void* address, uint64_t bytes) { announce_shared_variable(address, bytes); }
}
