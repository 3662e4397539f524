// The device-side entry points that cuco/hooks.h declares. They run on the fibers of GPU threads.
#include <driver_types.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/engine/pollers.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"

using namespace cuco::vcluster;

namespace {

// A load of the clock takes as long as on a GPU, so that loops over it end.
constexpr Time kClockRead = 20 * kNanosecond;

constexpr int kDeviceScope = 1;  // As cuco/hooks.h numbers them; system is 0, a block's is 2.

// The running thread sleeps until the clock has moved on by `amount`.
void pass_device_time(Time amount, WaitKind kind) {
  current_block->make_ready(current_thread->index, world->now() + std::max<Time>(amount, 1));
  current_block->suspend({kind, 0, 0, 0});
}

}  // namespace

extern "C" {

extern Position* cuco_position;

// Of the running thread: PTX's carry flag lives from one instruction to the next.
unsigned cuco_carry_flag = 0;

void cuco_barrier(int barrier, int count) { current_block->barrier(barrier, count); }
void cuco_barrier_arrive(int barrier, int count) { current_block->barrier_arrive(barrier, count); }
int cuco_barrier_count(int predicate) { return current_block->barrier_count(predicate); }

const uint64_t* cuco_warp_exchange(unsigned mask, uint64_t offer, unsigned* present) {
  return current_block->exchange(mask, offer, present);
}
unsigned cuco_active_mask() { return current_block->active_mask(__builtin_return_address(0)); }

void cuco_grid_barrier() { current_block->grid().grid_barrier(*current_block); }
int cuco_grid_is_cooperative() { return current_block->grid().launch().cooperative; }

// The checking build calls these; cuco/hooks.h has them inline for others.
void cuco_at(const char* place) { *cuco_position = {place, {}}; }
void cuco_meet_at(const char* place) { *cuco_position = {place, {place, false}}; }
void cuco_coop_at(const char* place) { *cuco_position = {place, {place, true}}; }
void cuco_span_at(int barrier, int first_warp) { current_block->span_at(barrier, first_warp); }
void cuco_host_call(const char* place, const char* operands, unsigned element_bytes) {
  if (!world->current_host) return;
  world->current_host->place = place;
  world->current_host->operands = operands;
  world->current_host->element_bytes = element_bytes;
}
void cuco_host_at(const char* place) { cuco_host_call(place, nullptr, 0); }

void cuco_async_begin(const CopyRequest* copy, const void* object) { begin_async_copy(*current_thread, *copy, object); }
void cuco_async_commit() { commit_async_copies(*current_thread); }
int cuco_async_take(CopyRequest* copy, size_t prior, const void* object) {
  return take_async_copy(*current_thread, prior, object, *copy);
}

int cuco_on_device() { return current_thread != nullptr; }

void cuco_poll_from(const void* address, uint64_t value, int bytes, const char* stack) {
  if (current_thread) pollers().look({address, value, bytes, false, stack});
}
void cuco_swap_failed_from(const void* address, uint64_t value, int bytes, const char* stack) {
  if (current_thread) pollers().look({address, value, bytes, true, stack});
}
void cuco_swapped(const void* address) {
  if (current_thread) pollers().note_swap(*current_thread, address);
}
void cuco_changed() { pollers().note_change(); }
void cuco_fence(int scope) {
  if (current_thread && scope <= kDeviceScope) current_block->catch_up_if_far();
  races().fence(scope);
}

void cuco_sleep(unsigned ns) { pass_device_time(ns * kNanosecond, WaitKind::Sleep); }
uint64_t cuco_clock() {
  pass_device_time(kClockRead, WaitKind::Sleep);
  const Device& device = current_block->grid().device();
  return static_cast<uint64_t>(static_cast<double>(device.shown_time()) * 1e-3 * device.gpu.clock_ghz);
}
uint64_t cuco_global_timer_ns() {
  pass_device_time(kClockRead, WaitKind::Sleep);
  return static_cast<uint64_t>(current_block->grid().device().shown_time() / kNanosecond);
}
unsigned cuco_multiprocessor_id() { return current_block->sm; }

void cuco_trap(const char* what) {
  // Data of a sampled run are not valid: whatever a program asserts of them may fail.
  if (world->options.sample) return;
  const Grid& grid = current_block->grid();
  world->add_finding("trap", grid.device().rank,
                     cuco::concat("kernel ", grid.launch().name, " launched at ", grid.launch().place, ": block ",
                                  current_block->index(), " thread ", current_thread->index, " executed ", what));
  current_block->break_device(cudaErrorLaunchFailure);
}

// Of <assert.h>, which device and host code share.
void __assert_fail(const char* assertion, const char* file, unsigned line, const char* function) {
  std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
  if (!current_thread) std::abort();
  world->add_finding(
      "trap", current_block->grid().device().rank,
      cuco::concat(describe_running_thread(), ": assertion `", assertion, "' failed at ", file, ":", line));
  current_block->break_device(cudaErrorAssert);
}

void* cuco_dynamic_shared() {
  extern void* cuco_dynamic_shared_base;
  return cuco_dynamic_shared_base;
}
unsigned cuco_dynamic_shared_bytes() {
  return static_cast<unsigned>(current_block->grid().launch().dynamic_shared_bytes);
}
}
