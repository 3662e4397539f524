#include "vcluster/runtime/plain_inputs.h"

#include <algorithm>

#include "base/random.h"
#include "base/text.h"
#include "cuco/element.h"
#include "vcluster/input_keys.h"
#include "vcluster/runtime/device.h"
#include "vcluster/runtime/world.h"

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
  std::string purpose = concat("upload ", rank, " ", digest);
  perturb(target, bytes, static_cast<Element>(told->element), keyed_seed(options.run_key, purpose));
}

void PlainInputs::fill(RunReport& report) const {
  for (const Arrived& each : arrived_)
    if (each.end <= world->timeline.region_begin(each.rank) &&
        std::find(report.uploads.begin(), report.uploads.end(), each.upload) == report.uploads.end())
      report.uploads.push_back(each.upload);
}

}  // namespace cuco::vcluster
