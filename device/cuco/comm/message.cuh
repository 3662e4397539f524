// How messages travel. Every communicated buffer is a window: memory from ncclMemAlloc, registered with the
// communicator by all ranks in the same order, so that (number of the window, offset) means the same place everywhere.
// A message needs no agreement beyond its order. The receiver announces where it goes, which also says that the place
// is free; the sender moves the bytes there and raises the receiver's count. Counts only grow, and each side derives
// what it waits for from how many messages it had with that peer before: nothing is reset, nothing of an earlier round
// can match.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cuco/comm/nccl.cuh>

namespace cuco::comm {

constexpr int kThreads = 512;
constexpr int kMessages = 32;  // That travel with a launch's arguments, in each direction; more go through memory.
constexpr int kCopies = 4;
constexpr int kWindows = 32;       // A power of two.
constexpr int kScratchWindow = 1;  // Where kScratchBytes is not 0.

// Load and store inside a node, the network at any distance, or each where it fits.
enum class Via { Lsa, Gin, Hybrid };

// Which threads of a block move and post messages: one, a warp that deals the peers out to its lanes, or the block.
enum class Issue { Thread, Warp, Block };
__host__ __device__ constexpr unsigned threads_of(Issue issue) {
  return issue == Issue::Thread ? 1 : issue == Issue::Warp ? 32 : kThreads;
}

struct Message {
  size_t offset, bytes;  // Of the local side, in its window.
  uint32_t sequence;     // With this peer in this direction, from 0.
  int16_t peer, window;
};

// A message from a rank to itself.
struct Copy {
  char* to;
  const char* from;
  size_t bytes;
};

// A delivered message counts so much, whichever number of blocks it was sent by.
constexpr uint32_t kShares = 1 << 16;

// How many messages a message is sent in, and how much of every row a unit of the grid before it writes;
// 0: whole rows.
struct Parts {
  int count = 1;
  size_t piece_bytes = 0;
  size_t units = 0, message_bytes = 0;  // Of a launch and call that reduce together.
};

// What a kernel does for an exchange, besides its copies and sends.
constexpr int kAnnounces = 1, kAwaits = 2, kFlushes = 4;
constexpr int kAllPhases = kAnnounces | kAwaits | kFlushes;

// What a launch works on, one for each message or peer.
template <typename T>
struct Items {
  T few[kMessages];
  T* many;  // Those that follow. In memory of the launch's stream for a kernel, of the host before.
  __host__ __device__ T& operator[](int i) { return i < kMessages ? few[i] : many[i - kMessages]; }
  __host__ __device__ const T& operator[](int i) const { return i < kMessages ? few[i] : many[i - kMessages]; }
};

struct Exchange {
  int phases;
  int send_count, receive_count, copy_count;
  Items<Message> sends, receives;
  Copy copies[kCopies];
  uint64_t* begun;  // Counts blocks that have started, where some kernel waits for that.
};

// What a rank keeps for each peer and slot, in the mailbox window.
struct Slot {
  uint64_t place;      // Where the peer wants the message that this rank will send, told over the network,
  uint64_t announced;  // or by load and store, with the message that it is for.
  uint64_t wanted;     // Bytes of that message, where receivers say so.
  uint64_t delivered;  // Shares of blocks that came from the peer in this slot, ever.
};

// A rank's view of a communicator, passed to kernels by value. Window 0 is the mailbox.
struct Endpoint {
  ncclDevComm comm;
  ncclWindow_t windows[kWindows];
  uint32_t slots;  // Messages that two ranks can have open in one direction; a power of two.
  bool exact;      // Announcements say how many bytes are wanted.

  __host__ __device__ uint32_t slot_of(uint32_t sequence) const { return sequence & (slots - 1); }
  // How often the slot of this message was used, with this message.
  __host__ __device__ uint64_t uses_of(uint32_t sequence) const { return (uint64_t)sequence / slots + 1; }
  // The first signal that the library leaves to kernels of the program's own: it has two for each slot.
  __host__ __device__ int first_signal() const { return (int)(2 * slots * comm.nRanks); }
};

using ExchangeKernel = void (*)(Endpoint, Exchange);

__host__ __device__ inline uint64_t place_at(int window, size_t offset) { return (uint64_t)window << 48 | offset; }

}  // namespace cuco::comm
