
__device__ inline ncclWindow_t window_of(const Endpoint& here, uint64_t place) { return here.windows[place >> 48]; }
__device__ inline size_t offset_of(uint64_t place) { return place & 0xffffffffffff; }
__device__ inline char* local_pointer(const Endpoint& here, uint64_t place) {
  return (char*)ncclGetLocalPointer(window_of(here, place), offset_of(place));
}
__device__ inline char* peer_pointer(const Endpoint& here, uint64_t place, int peer) {
  return (char*)ncclGetPeerPointer(window_of(here, place), offset_of(place), peer);
}
// Of the slot for messages with `peer`, in a mailbox.
__device__ inline size_t slot_offset(int peer, uint32_t number) {
  return (peer * kSlots + number % kSlots) * sizeof(Slot);
}
// How much of a message its receiver wants, once it has announced it.
__device__ inline size_t bytes_wanted(const Endpoint& here, const Message& message) {
  if (!kExact) return message.bytes;
  size_t offset = slot_offset(message.peer, message.number);
  size_t wanted = ((const Slot*)ncclGetLocalPointer(here.windows[0], offset))->wanted;
  return wanted < message.bytes ? wanted : message.bytes;
}
// What `delivered` reaches with this message: each use of a slot adds kBlocks.
__device__ inline uint64_t full_count(uint32_t number) { return (uint64_t)(number / kSlots + 1) * kBlocks; }

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
