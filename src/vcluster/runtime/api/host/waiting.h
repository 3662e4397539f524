// Host threads that wait at an address until another thread wakes them: a lock, a condition, a futex, a barrier.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>

#include "vcluster/runtime/engine/world.h"

namespace cuco::vcluster {

// In the order in which they came.
std::map<const void*, std::deque<HostThread*>>& host_waiters();

// `what` is what a deadlock report says that the thread waits for; empty: it is not named there.
void wait_at(const void* address, std::string what);

// How many were woken.
size_t wake_at(const void* address, size_t count_max);

// Whether a host thread runs. Not while libraries are loaded, nor in functions that a stream calls.
inline bool running() { return world != nullptr && world->current_host != nullptr; }

}  // namespace cuco::vcluster
