#include "nic/cuda_engine.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "nic/clock.h"
#include "nic/cuda_check.h"
#include "nic/cuda_memory.h"
#include "nic/engine_image.h"

namespace cuco::nic {
namespace {

constexpr int64_t kStartPatienceNs = 40'000;

// Half of the round trip of a flag between GPU and host on an H200 (2026-11-15).
constexpr int64_t kReportNs = 850;

uint64_t load(const uint64_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }
void store(uint64_t& word, uint64_t value) { __atomic_store_n(&word, value, __ATOMIC_RELEASE); }

}  // namespace

Result<std::unique_ptr<CudaEngine>> CudaEngine::open(const Settings& settings, CUdevice device) {
  std::unique_ptr<CudaEngine> engine(new CudaEngine(settings.linger_ns));
  cuCtxGetCurrent(&engine->context_);
  if (settings.engine == EngineKind::Apart) {
    const Result<bool> made = engine->make_own_context(device);
    if (!made) return made.error();
  }
  CurrentContext current(engine->context_);
  const Result<bool> prepared = engine->prepare();
  if (!prepared) return prepared.error();
  return engine;
}

Result<bool> CudaEngine::make_own_context(CUdevice device) {
#if CUDA_VERSION >= 13000
  const CUresult code = cuCtxCreate(&own_, nullptr, 0, device);
#else
  const CUresult code = cuCtxCreate(&own_, 0, device);
#endif
  if (code) return cuda_error("making a context for the engine", code);
  // Creation has made it current.
  CUcontext popped = nullptr;
  cuCtxPopCurrent(&popped);
  context_ = own_;
  return true;
}

Result<bool> CudaEngine::prepare() {
  const auto failed = [](const char* what, CUresult code) { return Result<bool>(cuda_error(what, code)); };
  if (const CUresult code = cuModuleLoadData(&module_, kEngineImage)) return failed("loading the engine", code);
  if (const CUresult code = cuModuleGetFunction(&kernel_, module_, "cuco_nic_engine"))
    return failed("finding the engine", code);
  int lowest = 0;
  int highest = 0;
  cuCtxGetStreamPriorityRange(&lowest, &highest);
  if (const CUresult code = cuStreamCreateWithPriority(&stream_, CU_STREAM_NON_BLOCKING, highest))
    return failed("making a stream for the engine", code);
  const size_t bytes = sizeof(EngineOrder) * kEngineOrders + sizeof(EngineState);
  void* pinned = nullptr;
  if (const CUresult code = cuMemHostAlloc(&pinned, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP))
    return failed("pinning the engine's orders", code);
  std::memset(pinned, 0, bytes);
  orders_ = static_cast<EngineOrder*>(pinned);
  state_ = reinterpret_cast<EngineState*>(orders_ + kEngineOrders);
  if (const CUresult code = cuMemAlloc(&scratch_, 2 * kEngineBytesMax + sizeof(uint64_t)))
    return failed("allocating the engine's scratch memory", code);
  return true;
}

// Errors are of no use here: at the end of a process the driver may be gone already.
CudaEngine::~CudaEngine() {
  {
    CurrentContext current(context_);
    if (state_) store(state_->leave, launches_);
    if (stream_) cuStreamSynchronize(stream_);
    if (stream_) cuStreamDestroy(stream_);
    if (scratch_) cuMemFree(scratch_);
    if (orders_) cuMemFreeHost(orders_);
    if (module_) cuModuleUnload(module_);
  }
  if (own_) cuCtxDestroy(own_);
}

void CudaEngine::launch() {
  CurrentContext current(context_);
  ++launches_;
  CUdeviceptr orders = 0;
  CUdeviceptr state = 0;
  cuMemHostGetDevicePointer(&orders, orders_, 0);
  cuMemHostGetDevicePointer(&state, state_, 0);
  void* arguments[] = {&orders, &state, &launches_};
  cuLaunchKernel(kernel_, 1, 1, 1, kEngineThreads, 1, 1, 0, stream_, arguments, nullptr);
  present_ = true;
  launched_ns_ = now_ns();
}

CudaEngine::Presence CudaEngine::presence() {
  if (!present_) launch();
  if (load(state_->started) == launches_) return Presence::Running;
  return now_ns() - launched_ns_ < kStartPatienceNs ? Presence::Starting : Presence::Stuck;
}

uint64_t CudaEngine::order(const Move& move) {
  while (next_ >= load(state_->finished) + kEngineOrders) {
  }
  EngineOrder& order = orders_[next_ % kEngineOrders];
  order.to = reinterpret_cast<uint64_t>(move.to);
  order.from = reinterpret_cast<uint64_t>(move.from);
  order.bytes = move.bytes;
  order.word = move.word;
  order.signal = reinterpret_cast<uint64_t>(move.signal);
  order.add = move.add;
  store(order.number_of_copy, next_ + 1);
  store(order.number_of_signal, next_ + 1);
  return next_++;
}

bool CudaEngine::is_finished(uint64_t number) const { return load(state_->finished) > number; }

void CudaEngine::set_busy(bool busy) {
  if (busy) {
    idle_since_ns_ = 0;
    if (!present_) launch();
    return;
  }
  if (!present_ || own_) return;
  const int64_t now = now_ns();
  if (idle_since_ns_ == 0) idle_since_ns_ = now;
  if (now - idle_since_ns_ < linger_ns_) return;
  store(state_->leave, launches_);
  present_ = false;
}

int64_t CudaEngine::median_round_trip_ns(uint64_t bytes) {
  std::vector<int64_t> times;
  Move move;
  move.to = reinterpret_cast<void*>(scratch_);
  move.from = reinterpret_cast<void*>(scratch_ + kEngineBytesMax);
  move.bytes = bytes;
  move.signal = reinterpret_cast<uint64_t*>(scratch_ + 2 * kEngineBytesMax);
  move.add = 1;
  const int64_t patience = now_ns() + 1'000'000'000;
  while (presence() != Presence::Running && now_ns() < patience) {
  }
  for (int i = 0; i < 41; ++i) {
    const int64_t start = now_ns();
    const uint64_t number = order(move);
    while (!is_finished(number) && now_ns() - start < 1'000'000'000) {
    }
    times.push_back(now_ns() - start);
  }
  std::nth_element(times.begin(), times.begin() + 20, times.end());
  return times[20];
}

Calibration CudaEngine::calibrate() {
  const int64_t signal = median_round_trip_ns(0);
  const int64_t small = std::max(signal, median_round_trip_ns(sizeof(uint64_t)));
  const int64_t large = std::max(small, median_round_trip_ns(kEngineBytesMax));
  Calibration calibration;
  calibration.report_ns = std::min(kReportNs, signal / 2);
  calibration.signal_lead_ns = signal - calibration.report_ns;
  calibration.copy_lead_ns = small - signal;
  calibration.copy_ns_per_byte = static_cast<double>(large - small) / kEngineBytesMax;
  set_busy(false);
  return calibration;
}

}  // namespace cuco::nic
