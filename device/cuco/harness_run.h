// The harness of a program that cuco runs: every call goes to the runner. Included by harness.h only.
#pragma once

namespace cuco::harness_detail {

class Backend {
 public:
  Backend(int rank, int rank_count) { cuco_harness_open(rank, rank_count); }
  void add(const cuco_buffer& buffer) { cuco_harness_buffer(&buffer); }
  void refuse(const char* reason) { cuco_harness_refuse(reason); }
  bool begin() { return cuco_harness_begin() != 0; }
  void end() { cuco_harness_end(); }
};

}  // namespace cuco::harness_detail
