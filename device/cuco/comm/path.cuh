// The ways between two ranks, on the device: load and store, the network, or each where it fits.
#pragma once

#include <cuco/comm/message.cuh>
#include <cuda/atomic>

namespace cuco::comm {

__device__ inline ncclWindow_t window_of(const Endpoint& here, uint64_t place) { return here.windows[place >> 48]; }
__device__ inline size_t offset_of(uint64_t place) { return place & 0xffffffffffff; }
__device__ inline char* local_pointer(const Endpoint& here, uint64_t place) {
  return (char*)ncclGetLocalPointer(window_of(here, place), offset_of(place));
}
__device__ inline char* peer_pointer(const Endpoint& here, uint64_t place, int peer) {
  return (char*)ncclGetPeerPointer(window_of(here, place), offset_of(place), peer);
}
// Of the slot for messages with `peer`, in a mailbox.
__device__ inline size_t slot_offset(const Endpoint& here, int peer, uint32_t sequence) {
  return (peer * here.slots + here.slot_of(sequence)) * sizeof(Slot);
}
// How much of a message its receiver wants, once it has announced it.
__device__ inline size_t bytes_wanted(const Endpoint& here, const Message& message) {
  if (!here.exact) return message.bytes;
  size_t offset = slot_offset(here, message.peer, message.sequence);
  size_t wanted = ((const Slot*)ncclGetLocalPointer(here.windows[0], offset))->wanted;
  return wanted < message.bytes ? wanted : message.bytes;
}
// What `delivered` reaches with this message.
__device__ inline uint64_t full_count(const Endpoint& here, uint32_t sequence) {
  return here.uses_of(sequence) * kShares;
}
// What the running block adds to it: all blocks of a grid together kShares.
__device__ inline uint32_t shares_of_block() {
  return kShares / gridDim.x + (blockIdx.x < kShares % gridDim.x ? 1 : 0);
}

struct Part {
  size_t begin, end;
};
// The running block's share of `count` things, cut at multiples of `grain`.
__device__ inline Part part_of_block(size_t count, size_t grain) {
  size_t grains = (count + grain - 1) / grain;
  size_t begin = grains * blockIdx.x / gridDim.x * grain, end = grains * (blockIdx.x + 1) / gridDim.x * grain;
  return {begin < count ? begin : count, end < count ? end : count};
}

// By the first `width` threads of a block, 16 bytes at a time where both sides allow it.
__device__ inline void copy_bytes(char* to, const char* from, size_t bytes, unsigned width) {
  if (threadIdx.x >= width) return;
  size_t wide = (((uintptr_t)to | (uintptr_t)from) & 15) == 0 ? bytes / 16 : 0;
  for (size_t i = threadIdx.x; i < wide; i += width) ((uint4*)to)[i] = ((const uint4*)from)[i];
  for (size_t i = wide * 16 + threadIdx.x; i < bytes; i += width) to[i] = from[i];
}
// The threads of the running block that issue; a block may be narrower than what the issue allows.
__device__ inline unsigned width_of(Issue issue) {
  return threads_of(issue) < blockDim.x ? threads_of(issue) : blockDim.x;
}

// Over load and store on the peers' windows: NVLink or PCIe inside a node.
template <Issue kIssue>
struct LsaBy {
  static constexpr Via kVia = Via::Lsa;
  static constexpr Issue kIssuer = kIssue;
  static constexpr bool kNear = true, kFar = false;  // Whether some peers are reached by stores, or over the network.
  template <Issue kOther>
  using By = LsaBy<kOther>;

  const Endpoint& here;
  __device__ explicit LsaBy(const Endpoint& endpoint) : here(endpoint) {}

  using Count = cuda::atomic_ref<uint64_t, cuda::thread_scope_system>;

  __device__ Slot* slot_of(int owner, int peer, uint32_t sequence) const {
    return (Slot*)ncclGetPeerPointer(here.windows[0], slot_offset(here, peer, sequence), owner);
  }

  // What `act` does on the path that leads to the peer.
  template <typename Act>
  __device__ auto to(int, Act act) const {
    return act(*this);
  }
  __device__ bool is_near(int) const { return true; }

  // What an announcement stores: a number that tells uses of the slot apart, and the place.
  static constexpr int kTagShift = 48, kWindowShift = 42;
  __device__ static uint64_t tag_of(const Message& message) { return (message.sequence + 1) & 0xffff; }

  // By one thread: tells the peer where its message goes.
  __device__ void announce(const Message& message) const {
    Slot* slot = slot_of(message.peer, here.comm.rank, message.sequence);
    if (here.exact) slot->wanted = message.bytes;
    uint64_t place = (uint64_t)message.window << kWindowShift | message.offset;
    Count(slot->announced).store(tag_of(message) << kTagShift | place, cuda::memory_order_release);
  }
  // By one thread: waits until the peer has; the place.
  __device__ uint64_t wait_announced(const Message& message) const {
    Count announced(slot_of(here.comm.rank, message.peer, message.sequence)->announced);
    uint64_t word = announced.load(cuda::memory_order_acquire);
    while (word >> kTagShift != tag_of(message)) word = announced.load(cuda::memory_order_acquire);
    return place_at(word >> kWindowShift & (kWindows - 1), word & (((uint64_t)1 << kWindowShift) - 1));
  }
  // By all threads of a block, of which those that issue copy its share of the message.
  __device__ void send(const Message& message) const {
    __shared__ uint64_t place;
    if (threadIdx.x == 0) place = wait_announced(message);
    __syncthreads();
    Part part = part_of_block(bytes_wanted(here, message), 16);
    copy_bytes(peer_pointer(here, place, message.peer) + part.begin,
               local_pointer(here, place_at(message.window, message.offset)) + part.begin, part.end - part.begin,
               width_of(kIssue));
    __syncthreads();
    if (threadIdx.x == 0) deliver(message.peer, message.sequence, shares_of_block());
  }
  // By one thread, after all that stored these shares have done their part.
  __device__ void deliver(int peer, uint32_t sequence, uint32_t shares = kShares) const {
    __threadfence_system();
    Count(slot_of(peer, here.comm.rank, sequence)->delivered).fetch_add(shares, cuda::memory_order_release);
  }
  __device__ void wait_delivered(const Message& message) const {
    Slot* slot = slot_of(here.comm.rank, message.peer, message.sequence);
    while (Count(slot->delivered).load(cuda::memory_order_acquire) < full_count(here, message.sequence)) {
    }
  }
  template <typename Coop>
  __device__ void finish(const Coop&) const {}
};
using Lsa = LsaBy<Issue::Block>;

// Over the network: puts and signals of the NIC, at any distance.
template <Issue kIssue>
struct GinBy {
  static constexpr Via kVia = Via::Gin;
  static constexpr Issue kIssuer = kIssue;
  static constexpr bool kNear = false, kFar = true;
  template <Issue kOther>
  using By = GinBy<kOther>;

  const Endpoint& here;
  ncclGin net;
  ncclTeam world;
  __device__ explicit GinBy(const Endpoint& endpoint)
      : here(endpoint), net(endpoint.comm, 0), world(ncclTeamWorld(endpoint.comm)) {}

  template <typename Act>
  __device__ auto to(int, Act act) const {
    return act(*this);
  }
  __device__ bool is_near(int) const { return false; }

  // Two signals for each slot: announced and delivered.
  __device__ ncclGinSignal_t signal_of(int peer, uint32_t sequence, int which) const {
    return 2 * (peer * here.slots + here.slot_of(sequence)) + which;
  }

  __device__ void announce(const Message& message) const {
    // Both values raise the signal, which covers no put but its own.
    if (here.exact)
      net.putValue(world, message.peer, here.windows[0],
                   slot_offset(here, here.comm.rank, message.sequence) + offsetof(Slot, wanted),
                   (uint64_t)message.bytes, SignalAdd{signal_of(here.comm.rank, message.sequence, 0), 1});
    net.putValue(world, message.peer, here.windows[0], slot_offset(here, here.comm.rank, message.sequence),
                 place_at(message.window, message.offset),
                 SignalAdd{signal_of(here.comm.rank, message.sequence, 0), 1});
  }
  __device__ uint64_t wait_announced(const Message& message) const {
    net.waitSignal(ncclCoopThread(), signal_of(message.peer, message.sequence, 0),
                   here.uses_of(message.sequence) * (here.exact ? 2 : 1));
    return ((const Slot*)ncclGetLocalPointer(here.windows[0], slot_offset(here, message.peer, message.sequence)))
        ->place;
  }
  // The thread of a block that posts to a peer. Lanes of a warp do not wait for each other's announcements.
  __device__ static unsigned poster_of(int peer) { return kIssue == Issue::Warp ? peer % width_of(kIssue) : 0; }
  // By all threads of a block; one of them sends.
  __device__ void send(const Message& message) const {
    if (threadIdx.x != poster_of(message.peer)) return;
    uint64_t place = wait_announced(message);
    Part part = part_of_block(bytes_wanted(here, message), 16);
    // This block's share of the message and of the count.
    SignalAdd delivered = {signal_of(here.comm.rank, message.sequence, 1), (uint64_t)shares_of_block()};
    if (part.begin < part.end)
      net.put(world, message.peer, window_of(here, place), offset_of(place) + part.begin, here.windows[message.window],
              message.offset + part.begin, part.end - part.begin, delivered);
    else
      net.signal(world, message.peer, delivered);
  }
  __device__ void wait_delivered(const Message& message) const {
    net.waitSignal(ncclCoopThread(), signal_of(message.peer, message.sequence, 1), full_count(here, message.sequence));
  }
  // By one thread: all of a message, behind the puts of its bytes, which the signal covers.
  __device__ void deliver(int peer, uint32_t sequence) const {
    net.signal(world, peer, CoveringSignalAdd{signal_of(here.comm.rank, sequence, 1), (uint64_t)kShares});
  }
  // By these threads: sources may be written again once the kernel has ended.
  template <typename Coop>
  __device__ void finish(const Coop& threads) const {
    net.flush(threads);
  }
};
using Gin = GinBy<Issue::Block>;

// Load and store inside the node, the network between nodes. The host numbers the two kinds of messages apart.
template <Issue kIssue>
struct HybridBy {
  static constexpr Via kVia = Via::Hybrid;
  static constexpr Issue kIssuer = kIssue;
  static constexpr bool kNear = true, kFar = true;
  template <Issue kOther>
  using By = HybridBy<kOther>;

  LsaBy<kIssue> near;
  GinBy<kIssue> far;
  __device__ explicit HybridBy(const Endpoint& endpoint) : near(endpoint), far(endpoint) {}

  __device__ bool is_near(int peer) const {
    return ncclTeamRankIsMember(ncclTeamLsa(near.here.comm), ncclTeamWorld(near.here.comm), peer);
  }
  template <typename Act>
  __device__ auto to(int peer, Act act) const {
    return is_near(peer) ? act(near) : act(far);
  }
  __device__ void announce(const Message& message) const {
    to(message.peer, [&](const auto& path) { path.announce(message); });
  }
  __device__ void send(const Message& message) const {
    to(message.peer, [&](const auto& path) { path.send(message); });
  }
  __device__ void wait_delivered(const Message& message) const {
    to(message.peer, [&](const auto& path) { path.wait_delivered(message); });
  }
  template <typename Coop>
  __device__ void finish(const Coop& threads) const {
    far.finish(threads);
  }
};
using Hybrid = HybridBy<Issue::Block>;

// What one call moves for this rank, or a phase of it. Receivers announce before anyone waits, so no order of ranks can
// block.
template <typename Path>
__device__ void exchange(const Endpoint& here, const Exchange& work) {
  Path path(here);
  if (work.begun != nullptr && threadIdx.x == 0)
    cuda::atomic_ref<uint64_t, cuda::thread_scope_device>(*work.begun).fetch_add(1, cuda::memory_order_relaxed);
  int receive_count = blockIdx.x == 0 ? work.receive_count : 0;
  if (work.phases & kAnnounces)
    for (int i = threadIdx.x; i < receive_count; i += blockDim.x) path.announce(work.receives[i]);
  for (int i = 0; i < work.copy_count; i++) {
    Part part = part_of_block(work.copies[i].bytes, 16);
    copy_bytes(work.copies[i].to + part.begin, work.copies[i].from + part.begin, part.end - part.begin, blockDim.x);
  }
  for (int i = 0; i < work.send_count; i++) path.send(work.sends[i]);
  if (work.phases & kAwaits)
    for (int i = threadIdx.x; i < receive_count; i += blockDim.x) path.wait_delivered(work.receives[i]);
  if (work.phases & kFlushes) path.finish(ncclCoopCta());
}

// The kernel of a call: `kSite` tells the calls of a program apart.
template <int kSite, typename Path>
__global__ void exchange_for(const Endpoint here, const Exchange work) {
  exchange<Path>(here, work);
}

}  // namespace cuco::comm
