// How messages travel in this program. Every communicated buffer is a window: memory from ncclMemAlloc, registered with
// the communicator by all ranks in the same order, so that (number of the window, offset) means the same place
// everywhere. A message needs no agreement beyond its order. The receiver announces where it goes, which also says that
// the place is free; the sender moves the bytes there and raises the receiver's count. Counts only grow, and each side
// derives what it waits for from how many messages it had with that peer before: nothing is reset, nothing of an
// earlier round can match.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <nccl.h>
#include <nccl_device.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda/atomic>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace device_comm {

// The only place that depends on the version of NCCL.
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 30, 0)
inline ncclDevCommRequirements no_requirements() { return NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER; }
inline void connect_all(ncclDevCommRequirements& needs) { needs.ginConnectionType = NCCL_GIN_CONNECTION_FULL; }
using SignalAdd = ncclGin_WeakSignalAdd;  // Covers the put it rides on.
  CUCO_COVERING_WEAK;
#else
inline ncclDevCommRequirements no_requirements() { return {}; }
inline void connect_all(ncclDevCommRequirements&) {}
using SignalAdd = ncclGin_SignalAdd;
  CUCO_COVERING;
#endif

constexpr int kBlocks = CUCO_BLOCKS;  // Of the widest communication kernel; a delivered message counts this much.
constexpr bool kExact = CUCO_EXACT;   // Announcements say how many bytes are wanted.
constexpr int kThreads = 512;
constexpr int kSlots = CUCO_SLOTS;  // Messages that two ranks can have open in one direction.
constexpr int kMessages = 32;       // That travel with a launch's arguments, in each direction; more go through memory.
constexpr int kCopies = 4;
constexpr int kWindows = 32;  // A power of two.
constexpr int kScratchWindow = 1;  // Where kScratchBytes is not 0.

// The helpers have two for each slot.
__host__ __device__ constexpr int first_signal(int ranks) { return 2 * kSlots * ranks; }

enum class Reach { Lsa, Gin, Hybrid };

// Which threads of a block move and post messages: one, a warp that deals the peers out to its lanes, or the block.
enum class Issue { Thread, Warp, Block };
__host__ __device__ constexpr unsigned threads_of(Issue issue) {
  return issue == Issue::Thread ? 1 : issue == Issue::Warp ? 32 : kThreads;
}

// When a call's exchange runs: at the call, begun there and ended where its bytes are used, on a lane, or while the kernel
// before it computes, by blocks of that kernel.
enum class Placement { Deferred, Split, Stream, Specialised };
constexpr int kNoLane = -1;  // The stream of the call.
struct Course {
  Placement placement = Placement::Deferred;
  int lane = kNoLane;
  bool by_message = false;  // Messages start and are awaited one by one, not as a whole.
  size_t chunk_bytes = 0;   // Messages leave in parts of about so many bytes; 0: whole.
};

struct Message {
  size_t offset, bytes;  // Of the local side, in its window.
  uint32_t number;       // With this peer in this direction, from 0.
  int16_t peer, window;
};

// A message from a rank to itself.
struct Copy {
  char* to;
  const char* from;
  size_t bytes;
};

// How many messages a message is sent in, and how much of every row a unit of the grid before it writes (slices.cuh);
// 0: whole rows.
struct Parts {
  int count = 1;
  size_t piece_bytes = 0;
  CUCO_FUSED_PART;
};

// What a kernel does for an exchange, besides its copies and sends.
constexpr int kAnnounces = 1, kAwaits = 2, kFlushes = 4;
constexpr int kWholeExchange = kAnnounces | kAwaits | kFlushes;

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
  CUCO_BEGUN_FIELD;
};

// What a rank keeps for each peer and slot, in the mailbox window.
struct Slot {
  uint64_t place;      // Where the peer wants the message that this rank will send, told over the network,
  uint64_t announced;  // or by load and store, with the message that it is for.
  uint64_t wanted;     // Bytes of that message, with kExact.
  uint64_t delivered;  // Shares of blocks that came from the peer in this slot, ever.
};

// A rank's view of a communicator, passed to kernels by value. Window 0 is the mailbox.
struct Endpoint {
  ncclDevComm comm;
  ncclWindow_t windows[kWindows];
};

using ExchangeKernel = void (*)(Endpoint, Exchange);

__host__ __device__ inline uint64_t place_at(int window, size_t offset) { return (uint64_t)window << 48 | offset; }
