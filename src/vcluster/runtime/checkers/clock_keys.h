// The components of vector clocks: streams by their number, everything else by the actor it belongs to. Sorted by key,
// the components of one kind and actor lie together.
#pragma once

#include <cstdint>

namespace cuco::vcluster {

enum class Component : uint64_t { Stream, Whole, Block, Warp, Thread, WeakBlock, WeakThread };

inline uint64_t key_of(Component component, uint32_t actor, uint64_t index = 0) {
  return static_cast<uint64_t>(component) << 61 | uint64_t{actor} << 36 | index;
}
inline Component component_of(uint64_t key) { return static_cast<Component>(key >> 61); }
inline uint32_t actor_of(uint64_t key) { return key >> 36 & ((1u << 25) - 1); }
inline bool is_stream(uint64_t key) { return component_of(key) == Component::Stream; }
inline bool is_part_of_kernel(uint64_t key) { return component_of(key) >= Component::Block; }

}  // namespace cuco::vcluster
