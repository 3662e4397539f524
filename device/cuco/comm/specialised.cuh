// Kernels of which some blocks communicate and the others compute. The first blocks to begin communicate. The others
// take the tiles of the program's grid in the order of the parts, count them done, and wait for nobody: once one of
// them has room beside those that communicate all tiles come to be done, whatever else is on the device.
#pragma once

#include <cuco/comm/fused.cuh>

namespace cuco::comm {

struct Specialised : FusedSend {
  unsigned communicators;  // Blocks that do nothing but communicate.
  unsigned blocks;         // Of the launch, with these: no more than find room at once.
  dim3 grid;               // As the program launches it; its blocks are the tiles.
};

// Of the launch that waits for its call: how many blocks find room at once, and how many of them its call wants to
// communicate.
struct Residents {
  int room = 0, communicators = 0;
};
inline Residents& residents() {
  thread_local Residents deferred;
  return deferred;
}

// How many blocks of a kernel the device has room for at once; 0 where that is not known.
template <typename Kernel>
int resident_blocks(Kernel* kernel, dim3 block, size_t shared_bytes) {
  thread_local std::map<std::pair<const void*, std::pair<unsigned, size_t>>, int> known;
  unsigned threads = block.x * block.y * block.z;
  auto [room, is_first] = known.try_emplace({(const void*)kernel, {threads, shared_bytes}}, 0);
  int device = 0, processors = 0, each = 0;
  if (is_first && cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess &&
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, (int)threads, shared_bytes) == cudaSuccess)
    room->second = each * processors;
  return room->second;
}

inline Specialised specialised_of(const FusedSend& fused, const dim3& grid) {
  Specialised work = {fused, (unsigned)residents().communicators, 0, grid};
  work.relay_shares = work.communicators;
  work.blocks = work.communicators + std::min(residents().room - work.communicators, work.tile_count);
  return work;
}

// In place of a launch whose kernel has blocks of its own for the call.
template <typename Launch>
void launch_specialised(const Shape& shape, int room, dim3 grid, dim3 block, cudaStream_t stream,
                        std::vector<const void*> pointers, Launch launch) {
  std::function<void(const FusedGrid*)> with_exchange = [launch, grid](const FusedGrid* fused) {
    if (fused == nullptr) return launch((const Specialised*)nullptr);
    Specialised work = specialised_of(*static_cast<const FusedSend*>(fused), grid);
    launch(&work);
  };
  defer<FusedGrid>({with_exchange, stream, std::move(pointers)}, {shape}, grid, block, 1, why_not_in_parts);
  residents().room = room;
}

// By all threads of a block: how many blocks began before it.
__device__ inline unsigned begin_specialised(const Specialised& fused) {
  __shared__ unsigned place;
  if (thread_in_block() == 0) place = BlockCount(fused.counters->started).fetch_add(1, cuda::memory_order_relaxed);
  __syncthreads();
  return place;
}

// By one thread, when its block is done. Nobody looks at the counters after the last.
__device__ inline void leave(const Specialised& fused) {
  if (is_last_of(fused.counters->left, fused.blocks)) *fused.counters = {};
}

struct Tile {
  uint3 block;  // Of the program's grid.
  bool is_taken;
};
// By one thread: what its block wrote of the tile may be sent.
__device__ inline void count_written(const Specialised& fused, const Tile& tile) {
  __threadfence_system();
  BlockCount(fused.counters->written[part_with(fused, tile.block)]).fetch_add(1, cuda::memory_order_release);
}
// By all threads of a block that computes, which is done with the tile that it has: the next, as long as there is one.
__device__ inline bool take_tile(const Specialised& fused, Tile& tile) {
  __shared__ Tile next;
  __syncthreads();
  if (thread_in_block() == 0) {
    if (tile.is_taken) count_written(fused, tile);
    unsigned index = BlockCount(fused.counters->dealt).fetch_add(1, cuda::memory_order_relaxed);
    next.is_taken = index < fused.tile_count;
    if (next.is_taken)
      next.block = block_in_order(fused, fused.grid, index);
    else
      leave(fused);
  }
  __syncthreads();
  tile = next;
  return tile.is_taken;
}

__device__ inline bool is_written(const Specialised& fused, int part) {
  return BlockCount(fused.counters->written[part]).load(cuda::memory_order_acquire) == blocks_in(fused, part);
}
// By one thread: waits until the part is written, or until there is something to send on, if that is sooner.
__device__ inline int relay_before(const Hybrid& path, const Specialised& fused, int part) {
  int relay = kNoRelay;
  while (relay == kNoRelay && !is_written(fused, part)) relay = take_relay(path, fused, false);
  return relay;
}
// By all threads of a block.
template <typename Path>
__device__ void await_part(const Path& path, const Specialised& fused, int part) {
  if constexpr (Path::kNear && Path::kFar) {
    __shared__ int relay;
    while (true) {
      if (thread_in_block() == 0) relay = relay_before(path, fused, part);
      __syncthreads();
      if (relay == kNoRelay) return;
      send_on(path, fused, relay);
    }
  }
  if (thread_in_block() == 0)
    while (!is_written(fused, part)) {
    }
  __syncthreads();
}

// By all threads of a block that communicates: its share of a part to near peers. The last of these blocks lets them
// know.
template <typename Path>
__device__ void store_share(const Path& path, const Specialised& fused, int part, unsigned place) {
  __shared__ Targets targets;
  const bool leads = thread_in_block() == 0;
  if (leads) find_targets(path, fused, part, targets);
  __syncthreads();
  store(targets, share_of(runs_of(fused, part, fused.sends[0].bytes), place, fused.communicators));
  if (leads && is_last_of(fused.counters->stored[part], fused.communicators)) send_to(true, path, fused, part);
}

// By all threads of a block, of all blocks that communicate one: the peers may send.
template <typename Path>
__device__ void announce_all(const Path& path, const FusedSend& fused) {
  for (int i = (int)thread_in_block(); i < fused.receive_count * fused.parts; i += (int)block_threads())
    path.announce(part_of(fused.receives[i / fused.parts], i % fused.parts));
}

// By all threads of the blocks that communicate. What goes over the network leaves first: it is longer on its way. What
// peers sent is here when the kernel ends, and what this rank sent may be written again.
template <typename Path>
__device__ void communicate(const Specialised& fused, unsigned place) {
  const bool leads = thread_in_block() == 0;
  Path path(fused.here);
  if (place == 0) announce_all(path, fused);
  for (int part = 0; part < fused.parts; part++) {
    await_part(path, fused, part);
    if (Path::kFar && leads && part % fused.communicators == place) post_part(path, fused, part);
    if (Path::kNear) store_share(path, fused, part, place);
    __syncthreads();
  }
  pass_on(path, fused, true);
  await_share(path, fused, place, fused.communicators);
  __syncthreads();
  if (!leads) return;
  path.finish(ncclCoopThread());
  leave(fused);
}

struct SpecialisedRoute {
  // Without room for one block that computes the launch runs as written.
  static ncclResult_t submit(Pending& call) {
    if (residents().room <= call.route.blocks) {
      if (!deferred<FusedGrid>().empty())
        note_fallback(kCommunicates, "the GPU has no room for one block that computes beside those that communicate");
      launch_deferred<FusedGrid>();
    }
    residents().communicators = call.route.blocks;
    return FusedRoute::submit(call);
  }
};

}  // namespace cuco::comm
