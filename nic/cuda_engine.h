// Host side of the engine: launches it while messages are on their way, gives it orders, and measures how long an order
// takes when the NIC starts. One thread at a time.
#pragma once

#include <cuda.h>

#include <memory>

#include "nic/device.h"
#include "nic/engine.h"

namespace cuco::nic {

class CudaEngine {
 public:
  static Result<std::unique_ptr<CudaEngine>> open();
  ~CudaEngine();
  CudaEngine(const CudaEngine&) = delete;
  CudaEngine& operator=(const CudaEngine&) = delete;

  // Returns the number of the order. Waits while all places are taken.
  uint64_t order(const Move& move);
  bool is_finished(uint64_t number) const;

  // An engine that left costs a launch, which waits for a free SM; one that stays holds up cudaDeviceSynchronize.
  void set_busy(bool busy);

  Calibration calibrate();

 private:
  CudaEngine() = default;

  Result<bool> prepare();
  void launch();
  int64_t median_round_trip_ns(uint64_t bytes);

  CUmodule module_ = nullptr;
  CUfunction kernel_ = nullptr;
  CUstream stream_ = nullptr;
  EngineOrder* orders_ = nullptr;
  EngineState* state_ = nullptr;
  CUdeviceptr scratch_ = 0;
  uint64_t next_ = 0;
  uint64_t launches_ = 0;
  bool present_ = false;
  int64_t idle_since_ns_ = 0;
};

}  // namespace cuco::nic
