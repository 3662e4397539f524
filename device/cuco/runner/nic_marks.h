// Tells an emulated NIC (docs/emulated_nic.md) which stretches are timed, so that its statistics are of these alone.
// NCCL has loaded it, under the name that NCCL_NET_PLUGIN gives; without it nothing happens.
#pragma once

#include <dlfcn.h>

#include <cstdlib>

namespace cuco::runner {

class NicMarks {
 public:
  // Asked for anew in every iteration until it is there: programs may make their communicator late.
  void begin() {
    if (!begin_) find();
    if (begin_) begin_();
  }
  void end() {
    if (end_) end_();
  }

 private:
  using Mark = void (*)();

  void find() {
    const char* plugin = std::getenv("NCCL_NET_PLUGIN");
    void* library = plugin ? dlopen(plugin, RTLD_NOW | RTLD_NOLOAD) : nullptr;
    if (!library) return;
    begin_ = reinterpret_cast<Mark>(dlsym(library, "cuco_nic_begin_timed"));
    end_ = reinterpret_cast<Mark>(dlsym(library, "cuco_nic_end_timed"));
  }

  Mark begin_ = nullptr, end_ = nullptr;
};

}  // namespace cuco::runner
