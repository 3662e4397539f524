
// Over the network: puts and signals of the NIC, at any distance.
template <Issue kIssue>
struct GinBy {
  const Endpoint& here;
  ncclGin net;
  ncclTeam world;
  __device__ explicit GinBy(const Endpoint& endpoint)
      : here(endpoint), net(endpoint.comm, 0), world(ncclTeamWorld(endpoint.comm)) {}

  // Two signals for each slot: announced and delivered.
  __device__ static ncclGinSignal_t signal_of(int peer, uint32_t number, int which) {
    return 2 * (peer * kSlots + number % kSlots) + which;
  }

  __device__ void announce(const Message& message) const {
    // Both values raise the signal, which covers no put but its own.
    if (kExact)
      net.putValue(world, message.peer, here.windows[0],
                   slot_offset(here.comm.rank, message.number) + offsetof(Slot, wanted), (uint64_t)message.bytes,
                   SignalAdd{signal_of(here.comm.rank, message.number, 0), 1});
    net.putValue(world, message.peer, here.windows[0], slot_offset(here.comm.rank, message.number),
                 place_at(message.window, message.offset), SignalAdd{signal_of(here.comm.rank, message.number, 0), 1});
  }
  __device__ uint64_t await_announcement(const Message& message) const {
    net.waitSignal(ncclCoopThread(), signal_of(message.peer, message.number, 0),
                   (message.number / kSlots + 1) * (kExact ? 2 : 1));
    return ((const Slot*)ncclGetLocalPointer(here.windows[0], slot_offset(message.peer, message.number)))->place;
  }
  // The thread of a block that posts to a peer. Lanes of a warp do not wait for each other's announcements.
  __device__ static unsigned poster_of(int peer) { return kIssue == Issue::Warp ? peer % width_of(kIssue) : 0; }
  // By all threads of a block; one of them sends.
  __device__ void send(const Message& message) const {
    if (threadIdx.x != poster_of(message.peer)) return;
    uint64_t place = await_announcement(message);
    Part part = part_of_block(bytes_wanted(here, message), 16);
    // This block's share of the message and of the count.
    SignalAdd delivered = {signal_of(here.comm.rank, message.number, 1), (uint64_t)(kBlocks / gridDim.x)};
    if (part.begin < part.end)
      net.put(world, message.peer, window_of(here, place), offset_of(place) + part.begin, here.windows[message.window],
              message.offset + part.begin, part.end - part.begin, delivered);
    else
      net.signal(world, message.peer, delivered);
  }
  __device__ void await(const Message& message) const {
    net.waitSignal(ncclCoopThread(), signal_of(message.peer, message.number, 1), full_count(message.number));
  }
  // Sources may be written again once the kernel has ended.
  __device__ void finish() const { net.flush(ncclCoopCta()); }
};
using Gin = GinBy<Issue::Block>;
