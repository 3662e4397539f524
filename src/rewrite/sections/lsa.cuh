
// Over load and store on the peers' windows: NVLink or PCIe inside a node.
template <Issue kIssue>
struct LsaBy {
  const Endpoint& here;
  __device__ explicit LsaBy(const Endpoint& endpoint) : here(endpoint) {}

  using Count = cuda::atomic_ref<uint64_t, cuda::thread_scope_system>;

  __device__ Slot* slot_of(int owner, int peer, uint32_t number) const {
    return (Slot*)ncclGetPeerPointer(here.windows[0], slot_offset(peer, number), owner);
  }

  // What an announcement stores: a number that tells uses of the slot apart, and the place.
  static constexpr int kTagShift = 48, kWindowShift = 42;
  __device__ static uint64_t tag_of(const Message& message) { return (message.number + 1) & 0xffff; }

  // By one thread: tells the peer where its message goes.
  __device__ void announce(const Message& message) const {
    Slot* slot = slot_of(message.peer, here.comm.rank, message.number);
    if (kExact) slot->wanted = message.bytes;
    uint64_t place = (uint64_t)message.window << kWindowShift | message.offset;
    Count(slot->announced).store(tag_of(message) << kTagShift | place, cuda::memory_order_release);
  }
  // By one thread: waits until the peer has; the place.
  __device__ uint64_t await_announcement(const Message& message) const {
    Count announced(slot_of(here.comm.rank, message.peer, message.number)->announced);
    uint64_t word = announced.load(cuda::memory_order_acquire);
    while (word >> kTagShift != tag_of(message)) word = announced.load(cuda::memory_order_acquire);
    return place_at(word >> kWindowShift & (kWindows - 1), word & (((uint64_t)1 << kWindowShift) - 1));
  }
  // By all threads of a block, of which those that issue copy its share of the message.
  __device__ void send(const Message& message) const {
    __shared__ uint64_t place;
    if (threadIdx.x == 0) place = await_announcement(message);
    __syncthreads();
    Part part = part_of_block(bytes_wanted(here, message), 16);
    copy_bytes(peer_pointer(here, place, message.peer) + part.begin,
               local_pointer(here, place_at(message.window, message.offset)) + part.begin, part.end - part.begin,
               width_of(kIssue));
    __syncthreads();
    if (threadIdx.x == 0) deliver(message);
  }
  // By one thread, after all threads of the block have done their part.
  __device__ void deliver(const Message& message) const {
    __threadfence_system();
    Count(slot_of(message.peer, here.comm.rank, message.number)->delivered)
        .fetch_add(kBlocks / gridDim.x, cuda::memory_order_release);
  }
  // By one thread: waits until the peer's message is here.
  __device__ void await(const Message& message) const {
    Slot* slot = slot_of(here.comm.rank, message.peer, message.number);
    while (Count(slot->delivered).load(cuda::memory_order_acquire) < full_count(message.number)) {
    }
  }
  __device__ void finish() const {}
};
using Lsa = LsaBy<Issue::Block>;
