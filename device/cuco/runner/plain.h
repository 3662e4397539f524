// A rank of a program without the harness: who it is, and what it copies to the host.
//
// Who: the rank of MPI where the program has initialised it; else a thread is the rank of the one communicator that it
// has made; else the program is one rank, which drives all of its GPUs.
//
// Outputs are copies to the host: those of the last call of the region, which is not timed, and all after it. Where the
// region is called once, those after it. They are taken as bytes, in order; whoever reads the capture knows the types.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cuco/runner/capture.h"
#include "cuco/runner/launches.h"
#include "cuco/runner/participant.h"

namespace cuco::runner {

// Of this thread; noted when it makes a communicator.
struct Membership {
  int rank = 0, rank_count = 1;
  std::vector<int> devices;  // One for each of its communicators.
};

inline Membership& membership() {
  thread_local Membership own;
  return own;
}

inline Membership identity_of_caller() {
#ifdef CUCO_RUNNER_HAS_MPI
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised) {
    Membership world;
    MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world.rank_count);
    return world;
  }
#endif
  return membership().devices.size() == 1 ? membership() : Membership{};
}

// The first error of the GPUs that this thread drives.
inline cudaError_t synchronize_devices() {
  if (membership().devices.size() <= 1) return cudaDeviceSynchronize();
  int current = 0;
  cudaGetDevice(&current);
  cudaError_t first = cudaSuccess;
  for (int device : membership().devices) {
    cudaSetDevice(device);
    cudaError_t error = cudaDeviceSynchronize();
    if (first == cudaSuccess) first = error;
  }
  cudaSetDevice(current);
  return first;
}

// All calls of the region that cuco makes, with the one whose copies are captured.
inline uint32_t plain_call_count() { return settings().call_count() + (settings().capture_bytes > 0 ? 1 : 0); }

inline bool copies_are_outputs(const Participant& rank) {
  if (settings().capture_bytes == 0) return false;
  if (settings().repeats) return rank.iteration() >= settings().call_count();
  return rank.iteration() > 0 && open_regions().load() == 0;
}

// The bytes that the program has on the host now, in the form of src/vcluster/capture.h. What exceeds the room is taken
// in blocks of 16 bytes, so that no element is cut.
class HostCopies {
 public:
  std::string record(const Participant& rank, const void* bytes, uint64_t count) {
    constexpr uint64_t kUnit = 16;
    uint64_t room = settings().capture_bytes > taken_ ? (settings().capture_bytes - taken_) / 2 : 0;
    is_sampled_ = count > room;
    std::string taken;
    if (!is_sampled_) taken.assign(static_cast<const char*>(bytes), count);
    if (is_sampled_)
      for (const Block& block : blocks_of(count / kUnit, room / kUnit, {rank.key(), 0, index_}))
        taken.append(static_cast<const char*>(bytes) + block.first * kUnit, block.count * kUnit);
    taken_ += taken.size();
    std::string name = "copy to host " + std::to_string(index_);
    if (is_sampled_) name += " (blocks of " + std::to_string(count) + " bytes)";
    return head(rank, taken.size(), name.size()) + name + taken;
  }
  bool is_sampled() const { return is_sampled_; }

 private:
  std::string head(const Participant& rank, uint64_t count, size_t name_bytes) {
    constexpr uint32_t kMagic = 0x6f637563;  // "cuco".
    std::string bytes;
    for (uint32_t word :
         {kMagic, static_cast<uint32_t>(rank.rank()), 0u, index_++, static_cast<uint32_t>(Element::UInt8), 0u})
      append_raw(word, bytes);
    append_raw(count, bytes);
    append_raw(0.0, bytes);
    append_raw(0.0, bytes);
    append_raw(static_cast<uint32_t>(name_bytes), bytes);
    return bytes;
  }

  uint32_t index_ = 0;
  uint64_t taken_ = 0;
  bool is_sampled_ = false;
};

// The program has copied so many bytes to the host; they are there. Defined by the runner.
bool wants_copies();
void on_copied_to_host(const void* bytes, uint64_t count);

}  // namespace cuco::runner
