// The outputs of a rank for the judge, in the records of src/vcluster/capture.h. What is larger than the run may write
// is taken in blocks, at places that follow from the seed: the same for baseline and candidate, others in every
// iteration. The first iteration gets half of the room, so that outputs of common sizes are compared whole at least
// once.
//
// Outputs are copied aside as soon as the region returns, by a stream that waits for nobody, and compared with what is
// there when every device is idle: what changed was written by work that outlived the region.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "cuco/runner/fill.h"

namespace cuco::runner {

struct Block {
  uint64_t first = 0, count = 0;  // Elements.
};

constexpr uint64_t kBlocksOfAnOutput = 64;

// Of `wanted` elements of `count`: one block in each of equal parts, so that every peer's share is looked at.
inline std::vector<Block> blocks_of(uint64_t count, uint64_t wanted, const DrawKey& key) {
  if (wanted >= count) return {{0, count}};
  uint64_t part = count / kBlocksOfAnOutput;
  uint64_t length = std::max<uint64_t>(1, std::min(part, wanted / kBlocksOfAnOutput));
  uint64_t base = draw_detail::base_of(key);
  std::vector<Block> blocks;
  for (uint64_t i = 0; i < kBlocksOfAnOutput && part > 0; i++)
    blocks.push_back({i * part + draw_detail::mix(base + i) % (part - length + 1), length});
  if (part == 0) blocks.push_back({draw_detail::mix(base) % count, 1});
  return blocks;
}

// Bytes that one iteration may write.
inline uint64_t room_of(uint64_t capture_bytes, uint32_t iteration, uint32_t call_count) {
  if (call_count <= 1) return capture_bytes;
  return iteration == 0 ? capture_bytes / 2 : capture_bytes / 2 / (call_count - 1);
}

template <typename T>
void append_raw(const T& value, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

class OutputCopy {
 public:
  OutputCopy(const cuco_buffer& buffer, const std::string& name, uint32_t index)
      : buffer_(buffer), name_(name), index_(index) {}

  const cuco_buffer& buffer() const { return buffer_; }
  const std::string& name() const { return name_; }
  bool is_sampled() const { return taken_ < buffer_.count; }

  void choose(uint64_t wanted, const DrawKey& key) {
    blocks_ = blocks_of(buffer_.count, wanted, key);
    taken_ = 0;
    for (const Block& block : blocks_) taken_ += block.count;
    reserve(taken_ * element_bytes());
  }

  void take_aside(cudaStream_t stream) { copy_blocks(aside_ ? aside_ : host_aside_.data(), stream); }

  // After take_aside, when nothing runs any more.
  std::string record(uint32_t rank, uint32_t iteration, cudaStream_t stream) {
    uint64_t bytes = taken_ * element_bytes();
    std::string returned(bytes, '\0'), settled(bytes, '\0');
    cudaMemcpy(&returned[0], aside_ ? aside_ : host_aside_.data(), bytes, cudaMemcpyDefault);
    copy_blocks(&settled[0], stream);
    cudaStreamSynchronize(stream);
    return head(rank, iteration, returned != settled) + shown_name() + returned;
  }

 private:
  uint32_t element_bytes() const { return cuco::bytes_of(element_of(buffer_)); }

  // Memory of the device if it has some to spare: the copy is then a matter of microseconds.
  void reserve(uint64_t bytes) {
    if (bytes <= reserved_) return;
    cudaFree(aside_);
    aside_ = nullptr;
    reserved_ = bytes;
    if (is_on_device(buffer_.pointer) && cudaMalloc(&aside_, bytes) == cudaSuccess) return;
    (void)cudaGetLastError();
    aside_ = nullptr;
    host_aside_.resize(bytes);
  }

  void copy_blocks(void* to, cudaStream_t stream) const {
    auto* place = static_cast<char*>(to);
    for (const Block& block : blocks_) {
      uint64_t bytes = block.count * element_bytes();
      const char* from = static_cast<const char*>(buffer_.pointer) + block.first * element_bytes();
      if (bytes > 0) cudaMemcpyAsync(place, from, bytes, cudaMemcpyDefault, stream);
      place += bytes;
    }
  }

  // Two outputs of different sizes may not look alike because as much was taken of them.
  std::string shown_name() const {
    return is_sampled() ? name_ + " (blocks of " + std::to_string(buffer_.count) + " elements)" : name_;
  }

  std::string head(uint32_t rank, uint32_t iteration, bool changed) const {
    constexpr uint32_t kMagic = 0x6f637563;  // "cuco".
    auto name_bytes = static_cast<uint32_t>(shown_name().size());
    std::string bytes;
    for (uint32_t word : {kMagic, rank, iteration, index_, buffer_.element, changed ? 1u : 0u}) append_raw(word, bytes);
    append_raw(taken_, bytes);
    append_raw(buffer_.absolute, bytes);
    append_raw(buffer_.relative, bytes);
    append_raw(name_bytes, bytes);
    return bytes;
  }

  cuco_buffer buffer_;
  std::string name_;
  uint32_t index_;
  std::vector<Block> blocks_;
  uint64_t taken_ = 0, reserved_ = 0;
  void* aside_ = nullptr;
  std::vector<char> host_aside_;
};

}  // namespace cuco::runner
