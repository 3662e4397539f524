// What lies between nodes, as a user states it: "12.5GB/s,10us". Bandwidth is of one direction of a rank's NIC, latency
// one way. Units: GB/s, MB/s, Gb/s, Mb/s (b: bits); ns, us, ms.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/profile.h"

namespace cuco::model {

// Inverse of each other for what six digits can tell.
Result<Network> parse_network(std::string_view text);
std::string to_text(const Network& network);

// Spreads so many ranks over so many nodes, at least two, with this network between. What else is known of a link there
// is kept; curves of collectives are of another network and go.
void place_network(HardwareProfile& profile, const Network& network, uint32_t nodes, uint32_t ranks);

// Of the profile's link between nodes, if it has one.
std::optional<Network> network_of(const HardwareProfile& profile);

}  // namespace cuco::model
