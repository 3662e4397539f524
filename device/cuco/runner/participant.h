// One rank under the runner: what it named to the harness and where it stands.
#pragma once

#include <atomic>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cuco/runner/capture.h"
#include "cuco/runner/rendezvous.h"
#include "cuco/runner/report.h"
#include "cuco/runner/settings.h"

namespace cuco::runner {

enum Role : uint32_t { kInput = 0, kOutput = 1, kScratch = 2 };

class Participant {
 public:
  Participant(int rank, int rank_count)
      : rank_(rank), rank_count_(rank_count), key_(take_key(rank)), report_(settings().folder, rank) {}

  int rank() const { return rank_; }
  int rank_count() const { return rank_count_; }
  uint32_t iteration() const { return iteration_; }
  const RankKey& key() const { return key_; }
  Report& report() { return report_; }
  Rendezvous& rendezvous() { return rendezvous_; }
  bool is_over() const { return iteration_ == settings().call_count(); }

  // Since when the watchdog counts; 0: it does not.
  std::atomic<int64_t>& watched_since() { return watched_since_; }
  int device() const { return device_; }

  void add(const cuco_buffer& buffer) {
    auto same_role = [&](const cuco_buffer& other) { return other.role == buffer.role; };
    auto index = static_cast<uint32_t>(std::count_if(buffers_.begin(), buffers_.end(), same_role));
    buffers_.push_back(buffer);
    if (buffer.role == kOutput) outputs_.emplace_back(buffer, buffer.name, index);
  }

  // Before the first call of the region, when all buffers are named.
  void start() {
    rendezvous_.open(rank_count_);
    cudaGetDevice(&device_);
    cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking);
  }

  // A buffer that is named as input and as output begins as an input. What the program did not ask about its own calls
  // is not held against it here.
  void prepare() {
    (void)cudaGetLastError();
    for (const cuco_buffer& buffer : buffers_)
      if (buffer.role != kInput && buffer.count > 0) poison(buffer);
    uint32_t input = 0;
    for (const cuco_buffer& buffer : buffers_) {
      if (buffer.role != kInput) continue;
      DrawKey key = {key_, iteration_, input++};
      if (buffer.count > 0) draw_input(buffer, key);
    }
    choose_blocks();
    cudaError_t launched = cudaGetLastError(), done = cudaDeviceSynchronize();
    end_on_error(launched != cudaSuccess ? launched : done);
  }

  // A GPU that has failed gives no outputs: the rank ends.
  void end_on_error(cudaError_t error) {
    if (error == cudaSuccess) return;
    report_.line("error " + std::to_string(iteration_) + " " + cudaGetErrorString(error));
    _exit(kFailed);
  }

  void take_outputs_aside() {
    if (settings().capture_bytes == 0) return;
    for (OutputCopy& output : outputs_) output.take_aside(copies_);
    cudaStreamSynchronize(copies_);
  }

  // When nothing runs any more, on no device.
  void write_outputs() {
    if (settings().capture_bytes == 0) return;
    std::ofstream file(settings().folder + "/outputs." + std::to_string(rank_), std::ios::binary | std::ios::app);
    for (OutputCopy& output : outputs_) {
      file << output.record(static_cast<uint32_t>(rank_), iteration_, copies_);
      report_unwritten(output);
    }
    if (!file.flush()) report_.line("misuse the outputs cannot be written");
  }

  void advance() { iteration_++; }

 private:
  static constexpr int kFailed = 1;

  void choose_blocks() {
    if (settings().capture_bytes == 0) return;
    uint64_t all = 0;
    for (const OutputCopy& output : outputs_) all += bytes_of(output.buffer());
    uint64_t room = room_of(settings().capture_bytes, iteration_, settings().call_count());
    double share = all == 0 ? 1 : static_cast<double>(room) / static_cast<double>(all);
    for (uint32_t i = 0; i < outputs_.size(); i++) {
      uint64_t count = outputs_[i].buffer().count;
      uint64_t wanted = share >= 1 ? count : static_cast<uint64_t>(share * static_cast<double>(count));
      outputs_[i].choose(wanted, {key_, iteration_, i});
      if (outputs_[i].is_sampled() && !said_sampled_) report_.line("sampled");
      said_sampled_ = said_sampled_ || outputs_[i].is_sampled();
    }
  }

  // Of the whole output, also where it is captured in part only.
  void report_unwritten(const OutputCopy& output) {
    uint64_t count = unwritten_count(output.buffer());
    if (count > 0)
      report_.line("unwritten " + std::to_string(iteration_) + " " + output.name() + " " + std::to_string(count));
  }

  int rank_, rank_count_;
  RankKey key_;
  int device_ = 0;
  uint32_t iteration_ = 0;
  bool said_sampled_ = false;
  std::vector<cuco_buffer> buffers_;
  std::vector<OutputCopy> outputs_;
  cudaStream_t copies_ = nullptr;
  Report report_;
  Rendezvous rendezvous_;
  std::atomic<int64_t> watched_since_{0};
};

}  // namespace cuco::runner
