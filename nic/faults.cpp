#include "nic/faults.h"

#include <array>
#include <charconv>
#include <optional>

namespace cuco::nic {
namespace {

constexpr std::array<std::string_view, 8> kNames = {
    "delayed_puts", "reordered_puts", "late_signals",      "bursts",
    "stalled_nic",  "dropped_link",   "error_completions", "full_queue"};

// A value in [0, bound) from seed, message and purpose; the purpose keeps the draws of two faults apart.
uint64_t draw(const FaultSettings& faults, uint64_t message, Fault purpose, uint64_t bound) {
  uint64_t x = faults.seed * 0x9E3779B97F4A7C15u + message * 0xD1B54A32D192ED03u + static_cast<uint64_t>(purpose);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return (x ^ (x >> 31)) % bound;
}

std::optional<uint32_t> fault_bit(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return 1u << i;
  return std::nullopt;
}

Result<uint64_t> parse_seed(std::string_view text) {
  constexpr std::string_view key = "seed=";
  uint64_t seed = 0;
  const bool named = text.substr(0, key.size()) == key;
  const std::string_view digits = named ? text.substr(key.size()) : text;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if (!named || code != std::errc{} || end != digits.data() + digits.size())
    return Error{concat("CUCO_NIC_FAULTS: '", text, "' is not seed=NUMBER")};
  return seed;
}

int64_t put_delay_ns(const FaultSettings& faults, uint64_t message, bool has_signal) {
  int64_t delay = 0;
  if (faults.has(Fault::DelayedPuts) && draw(faults, message, Fault::DelayedPuts, 4) == 0)
    delay += static_cast<int64_t>(draw(faults, message + 1, Fault::DelayedPuts, 50'000));
  if (faults.has(Fault::ReorderedPuts) && !has_signal)
    delay += static_cast<int64_t>(draw(faults, message, Fault::ReorderedPuts, 200'000));
  // Sixty-four messages make a burst: the first waits longest.
  if (faults.has(Fault::Bursts)) delay += static_cast<int64_t>(63 - message % 64) * 3'000;
  if (faults.has(Fault::StalledNic) && draw(faults, message, Fault::StalledNic, 2'000) == 0) delay += 5'000'000;
  return delay;
}

bool request_fails(const FaultSettings& faults, uint64_t message) {
  if (faults.has(Fault::DroppedLink) && message >= 1'000 + draw(faults, 0, Fault::DroppedLink, 1'000)) return true;
  return faults.has(Fault::ErrorCompletions) && draw(faults, message, Fault::ErrorCompletions, 5'000) == 0;
}

}  // namespace

std::string fault_names() {
  std::string names;
  for (std::string_view name : kNames) names.append(names.empty() ? "" : ", ").append(name);
  return names;
}

Result<FaultSettings> parse_faults(std::string_view text) {
  FaultSettings faults;
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const Result<uint64_t> seed = parse_seed(text.substr(colon + 1));
    if (!seed) return seed.error();
    faults.seed = *seed;
  }
  std::string_view rest = text.substr(0, colon);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::optional<uint32_t> bit = fault_bit(rest.substr(0, comma));
    if (!bit)
      return Error{
          concat("CUCO_NIC_FAULTS: no fault is called '", rest.substr(0, comma), "'; there are ", fault_names())};
    faults.enabled |= *bit;
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  return faults;
}

Disturbance disturb(const FaultSettings& faults, uint64_t message, bool has_signal) {
  if (faults.enabled == 0) return {};
  Disturbance disturbance;
  disturbance.data_delay_ns = put_delay_ns(faults, message, has_signal);
  disturbance.fails = request_fails(faults, message);
  if (faults.has(Fault::LateSignals) && has_signal)
    disturbance.signal_delay_ns = static_cast<int64_t>(draw(faults, message, Fault::LateSignals, 100'000));
  return disturbance;
}

}  // namespace cuco::nic
