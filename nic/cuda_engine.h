// Host side of the engine: launches it while messages are on their way, gives it orders, and measures how long an order
// takes when the NIC starts. One thread at a time.
#pragma once

#include <cuda.h>

#include <memory>

#include "nic/device.h"
#include "nic/engine.h"
#include "nic/settings.h"

namespace cuco::nic {

class CudaEngine {
 public:
  // In the current context, or in one of its own on this device.
  static Result<std::unique_ptr<CudaEngine>> open(const Settings& settings, CUdevice device);
  ~CudaEngine();
  CudaEngine(const CudaEngine&) = delete;
  CudaEngine& operator=(const CudaEngine&) = delete;

  // Launches the engine when it is not there. Starting: ask again soon. Stuck: every SM is taken, and has been for
  // longer than a launch takes; a kernel that waits for this very message may be what takes them.
  enum class Presence : uint8_t { Running, Starting, Stuck };
  Presence presence();

  // Returns the number of the order. Waits while all places are taken. Only for an engine that runs.
  uint64_t order(const Move& move);
  bool is_finished(uint64_t number) const;

  // An engine that left costs a launch, which waits for a free SM; one that stays holds up cudaDeviceSynchronize.
  void set_busy(bool busy);

  Calibration calibrate();

 private:
  explicit CudaEngine(int64_t linger_ns) : linger_ns_(linger_ns) {}

  Result<bool> make_own_context(CUdevice device);
  Result<bool> prepare();
  void launch();
  int64_t median_round_trip_ns(uint64_t bytes);

  CUcontext own_ = nullptr;  // Kernels in it hold up nobody who synchronises the device.
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUfunction kernel_ = nullptr;
  CUstream stream_ = nullptr;
  EngineOrder* orders_ = nullptr;
  EngineState* state_ = nullptr;
  CUdeviceptr scratch_ = 0;
  uint64_t next_ = 0;
  uint64_t launches_ = 0;
  bool present_ = false;
  int64_t linger_ns_;
  int64_t launched_ns_ = 0;
  int64_t idle_since_ns_ = 0;
};

}  // namespace cuco::nic
