// The harness of a program that runs by itself: inputs are drawn, outputs poisoned, a few iterations timed, a line
// printed. Nothing is compared; with CUCO_DIGESTS in the environment every rank prints a digest and the mean magnitude
// of each output of the last iteration, for comparing two programs by hand. Included by harness.h only. Where MPI is
// there and the program has initialised it, ranks start together and the slowest counts; else every rank prints its own
// time.
#pragma once

#if __has_include(<mpi.h>)
#include <mpi.h>
#define CUCO_HARNESS_HAS_MPI 1
#endif

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace cuco::harness_detail {

constexpr uint32_t kWarmups = 2;
constexpr uint32_t kIterations = 5;
constexpr int kPoison = 0xff;  // NaN in every floating-point format.

class Backend {
 public:
  Backend(int rank, int rank_count) : rank_(rank), rank_count_(rank_count) {}

  void add(const cuco_buffer& buffer) { buffers_.push_back(buffer); }
  void refuse(const char*) {}

  bool begin() {
    if (iteration_ == kWarmups + kIterations) {
      if (std::getenv("CUCO_DIGESTS") != nullptr) print_digests();
      report();
      return false;
    }
    prepare();
    start_together();
    start_ = std::chrono::steady_clock::now();
    return true;
  }

  void end() {
    std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start_;
    if (iteration_ >= kWarmups) times_ms_.push_back(slowest(taken.count()));
    iteration_++;
  }

 private:
  void prepare() {
    uint32_t input = 0;
    for (const cuco_buffer& buffer : buffers_) {
      auto element = static_cast<Element>(buffer.element);
      std::vector<char> bytes(buffer.count * bytes_of(element), static_cast<char>(kPoison));
      if (buffer.role == 0) {
        Distribution distribution = {static_cast<Distribution::Kind>(buffer.distribution), buffer.a, buffer.b};
        DrawKey key = {{static_cast<uint64_t>(rank_), 0}, iteration_, input++};
        draw_all(element, distribution, key, bytes.data(), buffer.count);
      }
      cudaMemcpy(buffer.pointer, bytes.data(), bytes.size(), cudaMemcpyDefault);
    }
    cudaDeviceSynchronize();
  }

  void print_digests() const {
    for (const cuco_buffer& buffer : buffers_) {
      if (buffer.role != 1 || buffer.count == 0) continue;
      auto element = static_cast<Element>(buffer.element);
      std::vector<unsigned char> bytes(buffer.count * bytes_of(element));
      cudaMemcpy(bytes.data(), buffer.pointer, bytes.size(), cudaMemcpyDefault);
      uint64_t digest = 0xcbf29ce484222325;  // FNV-1a.
      for (unsigned char byte : bytes) digest = (digest ^ byte) * 0x100000001b3;
      double magnitude = 0;
      for (uint64_t i = 0; i < buffer.count; i++) magnitude += std::abs(load_element(element, bytes.data(), i));
      std::printf("rank %d %s: digest %016llx, mean magnitude %.9g\n", rank_, buffer.name,
                  static_cast<unsigned long long>(digest), magnitude / static_cast<double>(buffer.count));
    }
  }

  static bool uses_mpi() {
    int initialised = 0;
#ifdef CUCO_HARNESS_HAS_MPI
    MPI_Initialized(&initialised);
#endif
    return initialised != 0;
  }

  static void start_together() {
#ifdef CUCO_HARNESS_HAS_MPI
    if (uses_mpi()) MPI_Barrier(MPI_COMM_WORLD);
#endif
  }

  static double slowest(double milliseconds) {
#ifdef CUCO_HARNESS_HAS_MPI
    if (uses_mpi()) MPI_Allreduce(MPI_IN_PLACE, &milliseconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
#endif
    return milliseconds;
  }

  void report() {
    std::sort(times_ms_.begin(), times_ms_.end());
    if (uses_mpi() && rank_ != 0) return;
    if (uses_mpi())
      std::printf("%d ranks, slowest: ", rank_count_);
    else
      std::printf("rank %d of %d: ", rank_, rank_count_);
    std::printf("median %.3f ms, from %.3f to %.3f, %u iterations after %u of warm-up\n", times_ms_[kIterations / 2],
                times_ms_.front(), times_ms_.back(), kIterations, kWarmups);
  }

  int rank_;
  int rank_count_;
  uint32_t iteration_ = 0;
  std::vector<cuco_buffer> buffers_;
  std::vector<double> times_ms_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace cuco::harness_detail
