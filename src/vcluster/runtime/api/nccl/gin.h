// What puts, gets and signals share: the request as kernels make it, and when the links carry it out.
#pragma once

#include "vcluster/runtime/api/nccl/device_comm.h"

namespace cuco::vcluster {

// As nccl_device/gin.h lays it out.
struct GinRequest {
  const ncclDevComm* comm;
  int context, peer;
  ncclWindow_t target_window, source_window;
  size_t target_offset, source_offset, bytes;
  uint64_t value;
  int signal_kind;
  uint32_t signal;
  uint64_t signal_value;
  int has_counter;
  uint32_t counter;
  ncclWindow_t signal_window;
  size_t signal_offset;

  bool increments() const { return signal_kind % 2 == 1; }
  bool is_strong() const { return signal_kind >= 5; }
  bool is_plain() const { return signal_kind == 1 || signal_kind == 2; }
};

struct Schedule {
  Time source_read, arrival;
  size_t send;  // Of the timeline.
};

// What the program's copy names; a finding when it names nothing.
DevCommRank& rank_of(const ncclDevComm* comm);
GinContext& context_of(DevCommRank& rank, int context);
// The rank that the request speaks of; a finding when there is none.
DevCommRank& peer_of(const GinRequest& request);
[[noreturn]] void misuse(const std::string& kind, int rank, const std::string& text);

// Bytes that leave `from` for `to` at `earliest` or when the link is free; each then travels for the latency.
Schedule schedule(DevCommRank& from, const DevCommRank& to, size_t bytes, Time earliest);
// A finding unless the window is one of the device communicator's and [offset, offset + bytes) lies in its part on the
// rank.
void check_window_range(const DevCommRank& user, ncclWindow_t window, size_t offset, size_t bytes, int rank,
                        const char* what);

uint64_t wait_until(WaitedValue& value, WaitKind kind, uint32_t index, uint64_t least, int bits);
// What `least` means next to a value that reached it, were it not for the few bits compared.
uint64_t without_rolling(uint64_t least, uint64_t reached, int bits);

// The word of window memory behind a VA signal, on the given rank, brought up to date with that memory.
WaitedValue& va_signal(DevCommRank& rank, ncclWindow_t window, size_t offset);
// Raises it, and the word, which `signaller` writes.
void raise_va_signal(const DevCommRank& rank, const GinRequest& request, WaitedValue& signal, uint32_t signaller);

}  // namespace cuco::vcluster
