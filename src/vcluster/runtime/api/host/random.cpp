// Random numbers of the C library, random_device, and what the kernel gives away as random. Every process has its own
// generator, so that what a rank draws depends on no other rank and on no schedule; it begins anew with every srand().
// The run's key takes part in all of them: a program that seeds itself with a constant still gets other inputs from
// another key.
#include "base/random.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>

#include "base/text.h"
#include "vcluster/input_keys.h"
#include "vcluster/runtime/engine/world.h"

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

bool running() { return world && world->current_host; }

// What no seed of the program takes part in: processes are told apart by their ranks.
uint64_t entropy() {
  uint64_t rank = running() ? static_cast<uint64_t>(world->current_host->process->rank) : 0;
  return generator().next() ^ cuco::Random(rank).next();
}

void fill_with_entropy(char* bytes, size_t count) {
  for (size_t i = 0; i < count; i += sizeof(uint64_t)) {
    uint64_t word = entropy();
    std::memcpy(bytes + i, &word, std::min(sizeof word, count - i));
  }
}

template <typename Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool is_entropy_device(const char* path) {
  using namespace std::string_view_literals;
  return running() && path && (path == "/dev/urandom"sv || path == "/dev/random"sv);
}

// A file without a name, so that whoever opens the device reads it as usual: by descriptor, FILE or ifstream. It is
// longer than what programs read at a time.
int open_entropy() {
  constexpr size_t kBytes = size_t{4} << 20;
  static auto open_file = real<int (*)(const char*, int, ...)>("open");
  int file = -1;
  for (const char* folder : {std::getenv("TMPDIR"), const_cast<char*>("."), const_cast<char*>("/tmp")})
    if (file < 0 && folder) file = open_file(folder, O_TMPFILE | O_RDWR, 0600);
  if (file < 0) return file;
  std::string bytes(kBytes, '\0');
  fill_with_entropy(bytes.data(), bytes.size());
  bool filled =
      write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) && lseek(file, 0, SEEK_SET) == 0;
  if (filled) return file;
  close(file);
  return -1;
}

int open_by(const char* name, const char* path, int flags, va_list more) {
  if (is_entropy_device(path)) return open_entropy();
  auto open_file = real<int (*)(const char*, int, ...)>(name);
  bool has_mode = (flags & (O_CREAT | O_TMPFILE)) != 0;
  return has_mode ? open_file(path, flags, va_arg(more, unsigned)) : open_file(path, flags);
}

FILE* open_stream_by(const char* name, const char* path, const char* mode) {
  if (!is_entropy_device(path)) return real<FILE* (*)(const char*, const char*)>(name)(path, mode);
  int file = open_entropy();
  return file < 0 ? nullptr : fdopen(file, "rb");
}

}  // namespace

extern "C" {

int rand() { return static_cast<int>(generator().next() >> 33); }
void srand(unsigned seed) { seed_generator(seed); }
long random() { return static_cast<long>(generator().next() >> 33); }
void srandom(unsigned seed) { seed_generator(seed); }
double drand48() { return generator().unit(); }
void srand48(long seed) { seed_generator(static_cast<uint64_t>(seed)); }
long lrand48() { return static_cast<long>(generator().next() >> 33); }

// std::random_device::operator().
unsigned _ZNSt13random_device9_M_getvalEv(void*) { return static_cast<unsigned>(entropy() >> 32); }

ssize_t getrandom(void* bytes, size_t count, unsigned) {
  fill_with_entropy(static_cast<char*>(bytes), count);
  return static_cast<ssize_t>(count);
}
int getentropy(void* bytes, size_t count) { return getrandom(bytes, count, 0) < 0 ? -1 : 0; }

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  int file = open_by("open", path, flags, more);
  va_end(more);
  return file;
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  int file = open_by("open64", path, flags, more);
  va_end(more);
  return file;
}
FILE* fopen(const char* path, const char* mode) { return open_stream_by("fopen", path, mode); }
FILE* fopen64(const char* path, const char* mode) { return open_stream_by("fopen64", path, mode); }
}
