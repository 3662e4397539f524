// What the rule files share. Each file holds the rules about one dimension and gives its table to legality.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "space/legality.h"

namespace cuco::space {

using Objection = std::optional<std::string>;

std::span<const Rule> backend_rules();
std::span<const Rule> placement_rules();
std::span<const Rule> sync_rules();
std::span<const Rule> issue_rules();  // Issuer and chunk.

inline bool is_device(Backend backend) { return backend != Backend::Host; }
inline bool uses_nic(Backend backend) { return backend == Backend::Gin || backend == Backend::Hybrid; }
inline bool is_load_store(Backend backend) { return backend == Backend::Lsa || backend == Backend::Multimem; }
inline bool waits_on_host_side(SyncScope sync) { return sync == SyncScope::StreamEvent || sync == SyncScope::HostSync; }

// Every CTA of these launches spins, so all of them must be resident at once. Says which launch has too many, where its
// grid is known in numbers.
Objection spinning_grid_too_large(const std::vector<LinkedWork>& works, const model::HardwareProfile& profile);

// "16 MiB"; bytes when no unit divides it.
std::string bytes_text(uint64_t bytes);

}  // namespace cuco::space
