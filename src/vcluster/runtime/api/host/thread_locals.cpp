#include "vcluster/runtime/api/host/thread_locals.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "vcluster/runtime/engine/world.h"

// As the dynamic linker takes it from compiled code; makes the block if it is not there yet.
extern "C" void* __tls_get_addr(size_t* module_and_offset);

namespace cuco::vcluster {

namespace {

struct ImageBlock {
  char* place = nullptr;
  std::string initial;  // What a thread starts with.
  const HostThread* owner = nullptr;
  std::map<const HostThread*, std::string> saved;
};

struct Destructor {
  void (*function)(void*);
  void* object;
};

std::map<const Process*, ImageBlock>& blocks() {
  static std::map<const Process*, ImageBlock> all;
  return all;
}

std::map<const HostThread*, std::vector<Destructor>>& destructors() {
  static std::map<const HostThread*, std::vector<Destructor>> all;
  return all;
}

// The image's initial values, padded with zeros to the size of the block; empty when it has no such variables.
std::string initial_values(const link_map& image) {
  struct Search {
    ElfW(Addr) base;
    std::string found;
  } search = {image.l_addr, {}};
  auto look = [](dl_phdr_info* info, size_t, void* argument) {
    auto* wanted = static_cast<Search*>(argument);
    if (info->dlpi_addr != wanted->base) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
      const ElfW(Phdr)& header = info->dlpi_phdr[i];
      if (header.p_type != PT_TLS) continue;
      wanted->found.assign(reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr), header.p_filesz);
      wanted->found.resize(header.p_memsz);
    }
    return 1;
  };
  dl_iterate_phdr(look, &search);
  return search.found;
}

}  // namespace

void adopt_thread_locals(const Process& process) {
  link_map* image = nullptr;
  size_t module_and_offset[2] = {0, 0};
  if (dlinfo(process.image, RTLD_DI_LINKMAP, &image) != 0) return;
  if (dlinfo(process.image, RTLD_DI_TLS_MODID, &module_and_offset[0]) != 0 || module_and_offset[0] == 0) return;
  std::string initial = initial_values(*image);
  if (initial.empty()) return;
  ImageBlock& block = blocks()[&process];
  block.place = static_cast<char*>(__tls_get_addr(module_and_offset));
  block.initial = std::move(initial);
  block.owner = world->current_host;
}

void install_thread_locals(HostThread& thread) {
  if (blocks().empty()) return;
  auto found = blocks().find(thread.process);
  if (found == blocks().end() || found->second.owner == &thread) return;
  ImageBlock& block = found->second;
  if (block.owner) block.saved[block.owner].assign(block.place, block.initial.size());
  auto own = block.saved.find(&thread);
  const std::string& values = own == block.saved.end() ? block.initial : own->second;
  std::memcpy(block.place, values.data(), values.size());
  block.owner = &thread;
}

bool is_thread_local_of(const Process& process, uintptr_t address) {
  auto found = blocks().find(&process);
  if (found == blocks().end()) return false;
  return address - reinterpret_cast<uintptr_t>(found->second.place) < found->second.initial.size();
}

void end_thread_locals(const HostThread& thread) {
  std::vector<Destructor>& pending = destructors()[&thread];
  while (!pending.empty()) {
    Destructor last = pending.back();
    pending.pop_back();
    last.function(last.object);
  }
  destructors().erase(&thread);
  auto found = blocks().find(thread.process);
  if (found == blocks().end()) return;
  if (found->second.owner == &thread) found->second.owner = nullptr;
  found->second.saved.erase(&thread);
}

}  // namespace cuco::vcluster

using namespace cuco::vcluster;

namespace {

// Keys of the C library: one value per host thread. Their destructors do not run.
std::map<std::pair<pthread_key_t, const HostThread*>, const void*>& key_values() {
  static std::map<std::pair<pthread_key_t, const HostThread*>, const void*> all;
  return all;
}

const HostThread* running_thread() { return world ? world->current_host : nullptr; }

}  // namespace

extern "C" {

// What compiled code calls when it has made a thread_local object.
int __cxa_thread_atexit(void (*function)(void*), void* object, void*) {
  if (world && world->current_host) destructors()[world->current_host].push_back({function, object});
  return 0;
}

int pthread_key_create(pthread_key_t* key, void (*)(void*)) {
  static pthread_key_t made = 0;
  *key = made++;
  return 0;
}
int pthread_key_delete(pthread_key_t) { return 0; }
int pthread_setspecific(pthread_key_t key, const void* value) {
  key_values()[{key, running_thread()}] = value;
  return 0;
}
void* pthread_getspecific(pthread_key_t key) {
  auto found = key_values().find({key, running_thread()});
  return found == key_values().end() ? nullptr : const_cast<void*>(found->second);
}
}
