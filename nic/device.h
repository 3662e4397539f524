// What the NIC needs of the memory it serves. The GPU is one device; tests have one made of plain shared memory, so
// that everything above this line runs and is tested without a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "nic/result.h"
#include "nic/statistics.h"

namespace cuco::nic {

// Memory that another process can map by taking over the file descriptor.
struct Exported {
  int file;
  uint64_t mapping_bytes;
  uint64_t offset;
};

// Bytes to copy, then a word to add to. Either part may be missing (bytes == 0, signal == nullptr).
struct Move {
  void* to = nullptr;
  const void* from = nullptr;  // nullptr: the bytes are in `word`.
  uint64_t bytes = 0;
  uint64_t word = 0;
  bool to_host = false;
  bool from_host = false;
  uint64_t* signal = nullptr;
  uint64_t add = 0;
};

struct Ticket {
  bool in_order = false;  // Moves with this mark take effect in the order of their submission.
  uint64_t number = 0;
};

class Device {
 public:
  virtual ~Device() = default;

  // Makes the device usable in the calling thread.
  virtual void enter_thread() = 0;

  virtual Result<Exported> export_memory(void* address, size_t bytes) = 0;
  virtual Result<void*> import_memory(int file, uint64_t mapping_bytes) = 0;
  virtual void release_import(void* address, uint64_t mapping_bytes) = 0;

  // The address under which the device itself reads this host memory; nullptr when it cannot.
  virtual const std::byte* reach_host_memory(std::byte* base, size_t bytes) = 0;

  // Waits for the copy. For memory that cannot be exported.
  virtual bool read_memory(void* host, const void* from, size_t bytes) = 0;

  // Bytes and signal of one such move are carried out by one submission.
  virtual bool is_small(const Move& move) const = 0;

  // Messages up to some size are best copied in small pieces, larger ones in large pieces.
  virtual uint64_t piece_bytes(uint64_t message_bytes) const = 0;

  // Empty when the device is not ready; to be asked again soon.
  virtual std::optional<Ticket> submit(const Move& move) = 0;
  virtual bool is_finished(const Ticket& ticket) = 0;

  // How long before its due time a move has to be submitted.
  virtual int64_t lead_ns(const Move& move) const = 0;

  // Called in every round: whether messages are on their way to this process.
  virtual void set_busy(bool busy) = 0;

  virtual Calibration calibration() const = 0;
};

}  // namespace cuco::nic
