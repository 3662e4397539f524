#pragma once
#include <memory>
#include "check.hpp"

class Communicator {
 public:
  Communicator(int rank, int world);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  void all_reduce_sum(float* data, size_t count, cudaStream_t stream);
  int rank() const { return rank_; }
  int world() const { return world_; }

 private:
  ncclComm_t comm_ = nullptr;
  int rank_, world_;
};
