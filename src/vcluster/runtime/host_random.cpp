// Random numbers of the C library, and random_device. Every process has its own generator, so that what a rank draws
// depends on no other rank and on no schedule; it begins anew with every srand(). The run's key takes part in all of
// them: a program that seeds itself with a constant still gets other inputs from another key.
#include <cstdlib>
#include <map>

#include "base/random.h"
#include "base/text.h"
#include "vcluster/input_keys.h"
#include "vcluster/runtime/world.h"

using namespace cuco::vcluster;

namespace {

cuco::Random made_from(uint64_t seed) {
  return cuco::Random(keyed_seed(world->options.harness.run_key, cuco::concat("rand ", seed)));
}

cuco::Random& generator() {
  static std::map<const Process*, cuco::Random> all;
  const Process* self = world && world->current_host ? world->current_host->process : nullptr;
  return all.try_emplace(self, made_from(1)).first->second;
}

void seed_generator(uint64_t seed) { generator() = made_from(seed); }

}  // namespace

extern "C" {

int rand() { return static_cast<int>(generator().next() >> 33); }
void srand(unsigned seed) { seed_generator(seed); }
long random() { return static_cast<long>(generator().next() >> 33); }
void srandom(unsigned seed) { seed_generator(seed); }
double drand48() { return generator().unit(); }
void srand48(long seed) { seed_generator(static_cast<uint64_t>(seed)); }
long lrand48() { return static_cast<long>(generator().next() >> 33); }

// std::random_device::operator(). No seed distinguishes its processes but their ranks.
unsigned _ZNSt13random_device9_M_getvalEv(void*) {
  uint64_t rank = world && world->current_host ? static_cast<uint64_t>(world->current_host->process->rank) : 0;
  return static_cast<unsigned>(generator().next() >> 32) ^ static_cast<unsigned>(cuco::Random(rank).next());
}
}
