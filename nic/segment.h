// The memory that the processes of a session share: who is there, the lines of the NICs, which memory may be mapped,
// connections, one ring of messages for every ordered pair of processes, and room for bytes on their way.
// All-zero bytes are a valid, empty segment. Most of it is never touched and so takes no memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "nic/link_model.h"
#include "nic/statistics.h"

namespace cuco::nic {

constexpr int kMembersMax = 32;
constexpr int kRegistrationsMax = 4096;
constexpr int kConnectionsMax = 8192;
constexpr uint64_t kRingEntries = 1024;
constexpr size_t kBounceBytes = size_t{8} << 20;
constexpr uint64_t kSegmentMagic = 0x6375636f6e696333;  // Changes with the layout.

struct Member {
  std::atomic<uint64_t> incarnation;  // Odd while the process is there, and never the same twice.
  int32_t pid;
  int32_t nic;
  uint64_t node;  // Hash of the node's name.
};

struct Nic {
  NicLines lines;
  NicCounters counters;
};

enum class RegistrationState : uint32_t { Free, Claimed, Mappable, Retired };

// Memory of one process that others map in order to read from it.
struct Registration {
  std::atomic<RegistrationState> state;
  std::atomic<uint64_t> wanted_by;  // Bit i: member i should map it.
  std::atomic<uint64_t> mapped_by;
  std::atomic<uint64_t> refused_by;  // Members that tried and failed.
  uint64_t name;
  int32_t owner;
  int32_t file;             // Number of the descriptor in the owner's process.
  uint64_t mapping_bytes;   // Of the whole allocation.
  uint64_t mapping_offset;  // Where the registered range begins in it.
};

enum class ConnectionState : uint32_t { Free, Listening, Connected, Accepted };

struct Connection {
  std::atomic<ConnectionState> state;
  std::atomic<uint64_t> serial;  // Tells a handle from an earlier life of the slot apart.
  int32_t sender;
  int32_t receiver;
};

enum class Verb : uint8_t { Put, Send, Get };
enum class Source : uint8_t { None, Inline, Bounce, Registered, Local };  // Local: an address in the receiver itself.

struct Message {
  Verb verb;
  Source source;
  uint8_t strong;  // The signal waits for every earlier message of the domain.
  uint8_t fails;   // Carried to its time, then dropped: an injected fault.
  uint8_t more;    // The next message of the connection goes into the same receive, behind this one.
  uint32_t domain;
  int64_t data_due_ns;
  int64_t signal_due_ns;
  uint64_t bytes;
  uint64_t inline_word;
  uint64_t source_offset;  // In the registration, or in the sender's bounce area.
  uint32_t source_slot;
  uint32_t connection;
  uint64_t target;  // Name of a registration of the receiver.
  uint64_t target_offset;
  uint64_t signal;  // Name of the registration that holds the signal; 0 when there is none.
  uint64_t signal_offset;
  uint64_t signal_add;
};

struct Entry {
  std::atomic<uint64_t> ready;  // Sequence + 1 once the message is written.
  std::atomic<uint64_t> done;   // Sequence + 1 once it was carried out; never falls.
  std::atomic<uint64_t> failed;
  Message message;
};

struct Ring {
  std::atomic<uint64_t> written;
  std::atomic<uint64_t> read;
  Entry entries[kRingEntries];
};

struct Segment {
  uint64_t magic;
  std::atomic<uint64_t> serials;
  std::atomic<uint64_t> registration_changes;
  std::atomic<uint32_t> registrations_used;  // Slots below this index may be in use.
  std::atomic<uint32_t> connections_used;
  Member members[kMembersMax];
  Nic nics[kMembersMax];
  Registration registrations[kRegistrationsMax];
  Connection connections[kConnectionsMax];
  Ring rings[kMembersMax][kMembersMax];  // [from][to]
  std::byte bounce[kMembersMax][kBounceBytes];
};

static_assert(std::atomic<uint64_t>::is_always_lock_free);

}  // namespace cuco::nic
