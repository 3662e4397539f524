// Faults that a network may show and that a program must stand, drawn from a seed so that a run can be repeated.
// A fault never breaks what the interface promises: a strong signal still follows every earlier put of its context and
// peer, and a dropped link ends in an error that the program can see.
//
// Text form: name[,name...][:seed=N], for example "delayed_puts,late_signals:seed=7".
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "nic/result.h"

namespace cuco::nic {

enum class Fault : uint8_t {
  DelayedPuts,       // Every fourth put or so arrives up to 50 us late.
  ReorderedPuts,     // Puts without a signal overtake each other.
  LateSignals,       // A signal trails its data by up to 100 us.
  Bursts,            // Nothing arrives for a while, then everything at once.
  StalledNic,        // The NIC stands still for 5 ms every 2000 messages or so.
  DroppedLink,       // After some thousand messages every request ends in an error.
  ErrorCompletions,  // One request in about 5000 ends in an error, the others go on.
  FullQueue,         // The NIC takes at most four requests at a time; a caller has to wait.
};

struct FaultSettings {
  uint32_t enabled = 0;  // Bit i: Fault with the number i.
  uint64_t seed = 1;

  bool has(Fault fault) const { return (enabled >> static_cast<int>(fault)) & 1; }
};

struct Disturbance {
  int64_t data_delay_ns = 0;
  int64_t signal_delay_ns = 0;  // On top of the data's.
  bool fails = false;
};

std::string fault_names();
Result<FaultSettings> parse_faults(std::string_view text);

// What befalls the message with this number. Depends on its arguments only.
Disturbance disturb(const FaultSettings& faults, uint64_t message, bool has_signal);

}  // namespace cuco::nic
