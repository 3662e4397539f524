// How a program names its inputs, outputs and timed region:
//
//   cuco::Harness harness(rank, rank_count, argc, argv);
//   int rows = harness.parameter("rows", 4096);             // rows=512 on the command line changes it
//   harness.require(rows % rank_count == 0, "rows must be a multiple of the ranks");
//   harness.input("a", a, count, cuco::normal(0, 1));       // drawn anew for every rank and iteration
//   harness.output("c", c, count, cuco::within(1e-3, 1e-3));
//   harness.scratch("received", received, count);           // poisoned like an output, compared with nothing
//   harness.run([&] { step(); });
//
// The region is one call of the function given to run(): when it returns, its work is done on the host and on the device
// (it synchronises), and its outputs are complete. It may be called any number of times, each time with other inputs.
// Ranks do not meet between calls: one may read its outputs and begin the next call while another is still in this one.
// Pointers are of device, managed or host memory and stay valid until run() returns. Every rank names the same buffers
// in the same order; counts may differ between ranks.
//
// Built plainly (nvcc -I device), the program runs by itself, draws its inputs and prints a time. Built by cuco
// (CUCO_HARNESS), everything below is done by the runner that calls the region: what is drawn, how often, what is timed and
// compared is not the program's to say.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cuco/draw.h"
#include "cuco/harness_abi.h"

namespace cuco {

// An output's element passes when |candidate - baseline| <= absolute + relative * |baseline|. NaN never passes.
struct Tolerance {
  double absolute, relative;
};
inline Tolerance within(double absolute, double relative) { return {absolute, relative}; }
inline Tolerance exact() { return {0, 0}; }

template <typename T>
struct ElementOf;
template <> struct ElementOf<int8_t> { static constexpr Element value = Element::Int8; };
template <> struct ElementOf<uint8_t> { static constexpr Element value = Element::UInt8; };
template <> struct ElementOf<int32_t> { static constexpr Element value = Element::Int32; };
template <> struct ElementOf<uint32_t> { static constexpr Element value = Element::UInt32; };
template <> struct ElementOf<int64_t> { static constexpr Element value = Element::Int64; };
template <> struct ElementOf<uint64_t> { static constexpr Element value = Element::UInt64; };
template <> struct ElementOf<float> { static constexpr Element value = Element::Float32; };
template <> struct ElementOf<double> { static constexpr Element value = Element::Float64; };
template <> struct ElementOf<__half> { static constexpr Element value = Element::Float16; };
template <> struct ElementOf<__nv_bfloat16> { static constexpr Element value = Element::BFloat16; };
template <> struct ElementOf<__nv_fp8_e4m3> { static constexpr Element value = Element::Float8E4M3; };
template <> struct ElementOf<__nv_fp8_e5m2> { static constexpr Element value = Element::Float8E5M2; };

}  // namespace cuco

#ifdef CUCO_HARNESS
#include "cuco/harness_run.h"
#else
#include "cuco/harness_plain.h"
#endif

namespace cuco {

class Harness {
 public:
  Harness(int rank, int rank_count, int argc, char** argv)
      : rank_(rank), argument_count_(argc), arguments_(argv), backend_(rank, rank_count) {}
  Harness(const Harness&) = delete;

  // The value of NAME=VALUE among the program's arguments, else `otherwise`.
  int64_t parameter(const char* name, int64_t otherwise) const {
    size_t length = std::strlen(name);
    for (int i = 1; i < argument_count_; i++)
      if (std::strncmp(arguments_[i], name, length) == 0 && arguments_[i][length] == '=')
        return std::strtoll(arguments_[i] + length + 1, nullptr, 10);
    return otherwise;
  }

  // Ends the program when these parameters do not fit each other.
  void require(bool holds, const char* reason) {
    if (holds) return;
    backend_.refuse(reason);
    if (rank_ == 0) std::fprintf(stderr, "cannot run: %s\n", reason);
    std::exit(2);
  }

  template <typename T>
  void input(const char* name, T* pointer, uint64_t count, Distribution distribution) {
    backend_.add({name, pointer, count, element<T>(), 0, distribution.kind, distribution.a, distribution.b, 0, 0});
  }
  template <typename T>
  void output(const char* name, T* pointer, uint64_t count, Tolerance tolerance) {
    backend_.add({name, pointer, count, element<T>(), 1, 0, 0, 0, tolerance.absolute, tolerance.relative});
  }
  template <typename T>
  void scratch(const char* name, T* pointer, uint64_t count) {
    backend_.add({name, pointer, count, element<T>(), 2, 0, 0, 0, 0, 0});
  }

  template <typename Region>
  void run(Region&& region) {
    while (backend_.begin()) {
      region();
      backend_.end();
    }
  }

 private:
  template <typename T>
  static constexpr uint32_t element() {
    return static_cast<uint32_t>(ElementOf<T>::value);
  }

  int rank_;
  int argument_count_;
  char** arguments_;
  harness_detail::Backend backend_;
};

}  // namespace cuco
