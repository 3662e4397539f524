// What the program and the libraries do to memory, in the terms of validity.h.
#include <cstring>

#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/compared_blocks.h"
#include "vcluster/runtime/gpu/device.h"
#include "vcluster/runtime/gpu/page_views.h"
#include "vcluster/runtime/recording/validity.h"

namespace cuco::vcluster {

namespace {

uintptr_t number_of(const void* address) { return reinterpret_cast<uintptr_t>(address); }

bool is_kept(uintptr_t address) { return device_of(address) >= 0; }
bool is_shared(uintptr_t address) { return address >= kSharedBase && address < kSharedEnd; }

bool host_is_right() { return !validity().is_apart && !validity().host_is_misled; }

bool writes_are_valid() { return host_is_right() && !is_misled(); }

// Flags and counts move whether they are valid or not: the program decides by them.
void move_on_devices(void* to, const void* from, size_t bytes) {
  TakenBytes taken = validity().take(number_of(from), bytes);
  if (world->moves(bytes)) {
    validity().provide(number_of(from), bytes);
    std::memmove(to, from, bytes);
  }
  validity().give(number_of(to), taken);
}

}  // namespace

bool is_misled() { return current_thread && (current_thread->misled || current_block->misled); }

void on_read(uintptr_t address, size_t bytes) {
  if (!is_kept(address)) return;
  if (!current_thread) return validity().provide(address, bytes);
  if (!validity().is_valid(address, bytes)) current_thread->misled = true;
}

void on_write(uintptr_t address, size_t bytes) {
  if (!is_kept(address)) {
    if (is_shared(address) && is_misled()) current_block->misled = true;
    return;
  }
  validity().write(address, bytes, writes_are_valid());
  if (current_thread && current_block->writes) current_block->writes->add(address, address + bytes);
}

// Others of the grid that did not run may have updated it as well. Who reads the result in the same instruction is not
// misled by that: it takes a ticket or counts itself.
void on_update(uintptr_t address, size_t bytes) {
  if (!is_kept(address) || !current_thread) return;
  bool was_valid = validity().is_valid(address, bytes);
  validity().write(address, bytes, was_valid && writes_are_valid() && current_block->grid().runs_whole());
}

// After the store. What was carried into memory that only the block sees, it has read.
void on_carried(uintptr_t to, uintptr_t from, size_t bytes) {
  if (!is_kept(from) || !current_thread || validity().is_valid(from, bytes)) return;
  if (is_kept(to)) return validity().write(to, bytes, false);
  current_thread->misled = true;
  if (is_shared(to)) current_block->misled = true;
}

void move_bytes(void* to, const void* from, size_t bytes) {
  if (!keeps_validity) {
    if (world->moves(bytes)) copy_memory(to, from, bytes);
    return;
  }
  bool to_device = is_kept(number_of(to)), from_device = is_kept(number_of(from));
  if (to_device && from_device) return move_on_devices(to, from, bytes);
  if (from_device && !validity().is_valid(number_of(from), bytes)) validity().host_is_misled = true;
  if (from_device && validity().host_is_misled && !world->moves(bytes)) return;
  if (to_device) validity().forget(number_of(to), bytes);
  std::memmove(to, from, bytes);
  if (to_device) validity().write(number_of(to), bytes, host_is_right());
}

void fill_bytes(void* to, int value, size_t bytes) {
  if (world->moves(bytes)) std::memset(to, value, bytes);
  if (!keeps_validity || !is_kept(number_of(to))) return;
  validity().forget(number_of(to), bytes);
  if (!host_is_right()) return;
  double byte = static_cast<unsigned char>(value);
  Distribution constant = {Distribution::Integers, byte, byte};
  validity().draw_later({number_of(to), number_of(to) + bytes, Element::UInt8, constant, 0, 0});
}

}  // namespace cuco::vcluster
