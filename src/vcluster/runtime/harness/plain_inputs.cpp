#include "vcluster/runtime/harness/plain_inputs.h"

#include <algorithm>
#include <cstring>

#include "base/random.h"
#include "base/text.h"
#include "cuco/element.h"
#include "vcluster/input_keys.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"
#include "vcluster/runtime/harness/access.h"
#include "vcluster/runtime/harness/plain_loop.h"

namespace cuco::vcluster {

namespace {

uint64_t digest_of(const void* memory, size_t bytes) {
  uint64_t digest = 0xcbf29ce484222325;  // FNV-1a.
  for (size_t i = 0; i < bytes; i++) digest = (digest ^ static_cast<const unsigned char*>(memory)[i]) * 0x100000001b3;
  return digest;
}

void perturb(void* memory, size_t bytes, Element element, uint64_t seed) {
  Random random(seed);
  for (uint64_t i = 0; i < bytes / bytes_of(element); i++) {
    double change = 0.5 * random.unit() - 0.25;
    store_element(element, memory, i, load_element(element, memory, i) * (1 + change));
  }
}

bool is_alive(const void* target) {
  auto address = reinterpret_cast<uintptr_t>(target);
  const Allocation* allocation = world->devices[static_cast<size_t>(device_of(address))]->memory.find(address);
  return allocation && !allocation->freed;
}

}  // namespace

PlainInputs& plain_inputs() {
  static PlainInputs run;
  return run;
}

void PlainInputs::on_copy(void* target, const void* source, size_t bytes, const std::string& what) {
  const HarnessOptions& options = world->options.harness;
  int rank = device_of(reinterpret_cast<uintptr_t>(target));
  if (!options.plain || rank < 0 || device_of(reinterpret_cast<uintptr_t>(source)) >= 0) return;
  uint64_t digest = digest_of(target, bytes);
  arrived_.push_back({rank, world->now(), {digest, what}});
  auto is_it = [&](const Upload& upload) { return upload.digest == digest; };
  auto told = std::find_if(options.perturbed.begin(), options.perturbed.end(), is_it);
  if (told == options.perturbed.end()) return;
  keep({rank, target, std::string(static_cast<const char*>(target), bytes), *told, what});
  std::string purpose = concat("upload ", rank, " ", digest);
  perturb(target, bytes, static_cast<Element>(told->element), keyed_seed(options.run_key, purpose));
}

// Of what is copied to one place the last counts; what comes in the region, the region brings again by itself.
void PlainInputs::keep(Changed changed) {
  if (world->options.harness.loop.calls < 2 || plain_loop().has_begun(changed.rank)) return;
  std::erase_if(changed_, [&](const Changed& other) { return other.target == changed.target; });
  changed_.push_back(std::move(changed));
}

void PlainInputs::begin_call(const void* lane, int rank, uint32_t call) {
  for (const Changed& each : changed_) {
    if (each.rank != rank || call == 0 || !is_alive(each.target)) continue;
    std::memcpy(each.target, each.bytes.data(), each.bytes.size());
    std::string purpose = concat("upload ", rank, " ", each.upload.digest, " call ", call);
    perturb(each.target, each.bytes.size(), static_cast<Element>(each.upload.element),
            keyed_seed(world->options.harness.run_key, purpose));
    note_local_access(lane, each.target, each.bytes.size(), AccessKind::Write,
                      concat("the program, which repeats ", each.what, " at the start of call ", call, ","));
  }
}

void PlainInputs::fill(RunReport& report) const {
  for (const Arrived& each : arrived_)
    if (each.end <= plain_loop().begin_of(each.rank) &&
        std::find(report.uploads.begin(), report.uploads.end(), each.upload) == report.uploads.end())
      report.uploads.push_back(each.upload);
}

}  // namespace cuco::vcluster
