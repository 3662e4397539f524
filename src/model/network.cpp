#include "model/network.h"

#include <charconv>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "model/ranges.h"

namespace cuco::model {

namespace {

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit kRates[] = {{"GB/s", 1}, {"MB/s", 1e-3}, {"Gb/s", 0.125}, {"Mb/s", 0.125e-3}};
constexpr Unit kDurations[] = {{"us", 1}, {"ns", 1e-3}, {"ms", 1e3}};

// Puts of one rank, one after the other, through the emulated NIC and NCCL's thread (H200, NCCL 2.30.7, 2026-11-15).
constexpr double kUsualMessagesMPerS = 0.35;

// Not a number when the text has another form.
template <size_t N>
double quantity(std::string_view text, const Unit (&units)[N]) {
  double number = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || !std::isfinite(number)) return NAN;
  std::string_view name = text.substr(static_cast<size_t>(end - text.data()));
  for (const Unit& unit : units)
    if (unit.name == name) return number * unit.factor;
  return NAN;
}

}  // namespace

Result<Network> parse_network(std::string_view text) {
  size_t comma = text.find(',');
  Network network;
  network.gb_per_s = quantity(trim(text.substr(0, comma)), kRates);
  network.latency_us = comma == text.npos ? NAN : quantity(trim(text.substr(comma + 1)), kDurations);
  const Range &rates = range_of("gb_per_s"), &latencies = range_of("latency_us");
  if (rates.holds(network.gb_per_s) && latencies.holds(network.latency_us)) return network;
  if (std::isnan(network.gb_per_s) || std::isnan(network.latency_us))
    return Error{concat("'", text, "' is no network: write bandwidth and latency, such as 12.5GB/s,10us")};
  return Error{concat("'", text, "' is no network: bandwidth must be ", rates.text(), " GB/s, latency ",
                      latencies.text(), " us")};
}

std::string to_text(const Network& network) { return concat(network.gb_per_s, "GB/s,", network.latency_us, "us"); }

void place_network(HardwareProfile& profile, const Network& network, uint32_t nodes, uint32_t ranks) {
  if (network_of(profile) != network) profile.collectives.clear();
  Topology& topology = profile.topology;
  Link link = topology.between.value_or(Link{kEmulatedLink, 0, 0, kUsualMessagesMPerS, {}});
  link.gb_per_s = network.gb_per_s;
  link.latency_us = network.latency_us;
  topology.nodes = nodes;
  topology.ranks_per_node = ranks / nodes;
  // Only nodes that pretend to be several share a GPU.
  uint32_t sharing_most = link.kind == kEmulatedLink ? ranks : topology.ranks_per_node;
  topology.ranks_per_gpu = std::gcd(topology.ranks_per_gpu, sharing_most);
  if (topology.ranks_per_node == 1) topology.inside.reset();
  topology.between = std::move(link);
}

std::optional<Network> network_of(const HardwareProfile& profile) {
  const std::optional<Link>& link = profile.topology.between;
  return link ? std::optional(Network{link->gb_per_s, link->latency_us}) : std::nullopt;
}

}  // namespace cuco::model
