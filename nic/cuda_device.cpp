#include "nic/cuda_device.h"

#include <cuda.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "nic/cuda_check.h"
#include "nic/cuda_engine.h"
#include "nic/cuda_memory.h"
#include "nic/log.h"

namespace cuco::nic {
namespace {

constexpr int64_t kDriverCopyLeadNs = 12'000;
constexpr double kDriverCopyNsPerByte = 1.0 / 1'000;
constexpr size_t kEvents = 256;
constexpr uint64_t kLargePieceBytes = 512 << 10;
constexpr uint64_t kSmallPieceBytes = 64 << 10;
constexpr uint64_t kSmallMessageBytes = 256 << 10;

// One block copies 40 GB/s or so (H200); with a faster link large messages are left to the driver.
constexpr double kEngineBytesPerNs = 30;

CUdeviceptr device_address(const void* address) { return reinterpret_cast<CUdeviceptr>(address); }

class CudaDevice : public Device {
 public:
  ~CudaDevice() override;
  Result<bool> open(const Settings& settings);

  void enter_thread() override { cuCtxSetCurrent(context_); }
  void prepare() override;
  Result<Exported> export_memory(void* address, size_t bytes) override;
  Result<void*> import_memory(int file, uint64_t mapping_bytes) override;
  void release_import(void* address, uint64_t mapping_bytes) override;
  const std::byte* reach_host_memory(std::byte* base, size_t bytes) override;
  bool read_memory(void* host, const void* from, size_t bytes) override;
  bool is_small(const Move& move) const override;
  uint64_t piece_bytes(uint64_t message_bytes) const override;
  std::optional<Ticket> submit(const Move& move) override;
  bool is_finished(const Ticket& ticket) override;
  int64_t lead_ns(const Move& move) const override;
  void set_busy(bool busy) override;
  Calibration calibration() const override { return calibration_; }

 private:
  Ticket submit_copy(const Move& move);
  void copy_on_device(const Move& move);
  void submit_signal(const Move& move);

  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  std::unique_ptr<CudaEngine> engine_;
  Settings settings_;
  bool is_prepared_ = false;
  double bytes_per_ns_ = 0;
  void* staging_ = nullptr;  // Pinned, of kLargePieceBytes.
  Calibration calibration_;
  std::vector<CUevent> events_;
  std::vector<std::byte*> pinned_;
  uint64_t copies_ = 0;
  uint64_t copies_finished_ = 0;
  uint64_t last_signal_ = 0;  // The last copy that ended in a signal.
};

Result<bool> CudaDevice::open(const Settings& settings) {
  const auto failed = [](const char* what, CUresult code) { return Result<bool>(cuda_error(what, code)); };
  if (const CUresult code = cuInit(0)) return failed("starting CUDA", code);
  if (cuCtxGetDevice(&device_) != CUDA_SUCCESS) device_ = 0;
  if (const CUresult code = cuDevicePrimaryCtxRetain(&context_, device_)) return failed("taking the GPU", code);
  CurrentContext current(context_);
  if (const CUresult code = cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING)) return failed("making a stream", code);
  if (const CUresult code = cuMemHostAlloc(&staging_, kLargePieceBytes, CU_MEMHOSTALLOC_PORTABLE))
    return failed("pinning memory", code);
  bytes_per_ns_ = settings.link.bytes_per_ns;
  events_.resize(kEvents);
  for (CUevent& event : events_)
    if (const CUresult code = cuEventCreate(&event, CU_EVENT_DISABLE_TIMING)) return failed("making an event", code);
  // Peers take over the file descriptors of windows; a hardened kernel wants to be told.
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  settings_ = settings;
  return true;
}

// Not when the NIC is opened: a job whose ranks turn out to be on one node has no use for an engine.
void CudaDevice::prepare() {
  if (engine_ || is_prepared_ || settings_.engine == EngineKind::Copies) return;
  is_prepared_ = true;
  CurrentContext current(context_);
  Result<std::unique_ptr<CudaEngine>> opened = CudaEngine::open(settings_, device_);
  if (!opened) return log_error(opened.error().message + "; messages are copied by the driver, which is slow");
  engine_ = std::move(*opened);
  calibration_ = engine_->calibrate();
  calibration_.floor_ns = calibration_.signal_lead_ns + settings_.notice_ns;
  log_info("floor " + std::to_string(calibration_.floor_ns) + " ns");
  if (settings_.link.latency_ns < calibration_.floor_ns)
    log_warning("the modelled latency is below the floor of " + std::to_string(calibration_.floor_ns) +
                " ns of this machine");
}

CudaDevice::~CudaDevice() {
  CurrentContext current(context_);
  engine_.reset();
  for (std::byte* base : pinned_) cuMemHostUnregister(base);
  for (CUevent event : events_) cuEventDestroy(event);
  if (stream_) cuStreamDestroy(stream_);
  if (staging_) cuMemFreeHost(staging_);
  if (context_) cuDevicePrimaryCtxRelease(device_);
}

Result<Exported> CudaDevice::export_memory(void* address, size_t bytes) {
  CurrentContext current(context_);
  return export_allocation(device_address(address), bytes);
}

Result<void*> CudaDevice::import_memory(int file, uint64_t mapping_bytes) {
  CurrentContext current(context_);
  return import_allocation(file, mapping_bytes, device_);
}

void CudaDevice::release_import(void* address, uint64_t mapping_bytes) {
  CurrentContext current(context_);
  release_allocation(device_address(address), mapping_bytes);
}

const std::byte* CudaDevice::reach_host_memory(std::byte* base, size_t bytes) {
  CUdeviceptr address = 0;
  const unsigned flags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
  if (cuMemHostRegister(base, bytes, flags) != CUDA_SUCCESS) return nullptr;
  pinned_.push_back(base);
  if (cuMemHostGetDevicePointer(&address, base, 0) != CUDA_SUCCESS) return nullptr;
  return reinterpret_cast<const std::byte*>(address);
}

bool CudaDevice::read_memory(void* host, const void* from, size_t bytes) {
  CurrentContext current(context_);
  CUstream stream = nullptr;
  if (cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) return false;
  const bool copied = cuMemcpyDtoHAsync(host, device_address(from), bytes, stream) == CUDA_SUCCESS &&
                      cuStreamSynchronize(stream) == CUDA_SUCCESS;
  cuStreamDestroy(stream);
  return copied;
}

bool CudaDevice::is_small(const Move& move) const {
  return engine_ && !move.from_host && !move.to_host && move.bytes <= kEngineBytesMax;
}

uint64_t CudaDevice::piece_bytes(uint64_t message_bytes) const {
  if (!engine_) return kLargePieceBytes;
  if (message_bytes <= kSmallMessageBytes) return kSmallPieceBytes;
  return bytes_per_ns_ <= kEngineBytesPerNs ? kEngineBytesMax : kLargePieceBytes;
}

std::optional<Ticket> CudaDevice::submit(const Move& move) {
  if (is_small(move)) {
    const CudaEngine::Presence presence = engine_->presence();
    if (presence == CudaEngine::Presence::Starting) return std::nullopt;
    // A signal that the driver still has to write back would undo what the engine adds to it meanwhile.
    if (presence == CudaEngine::Presence::Running && !is_finished({false, last_signal_})) return std::nullopt;
    if (presence == CudaEngine::Presence::Running) return Ticket{true, engine_->order(move)};
  }
  if (move.to_host && (move.from_host || !move.from)) {
    std::memcpy(move.to, move.from ? move.from : &move.word, move.bytes);
    return Ticket{false, 0};
  }
  return submit_copy(move);
}

// Tickets of copies count from 1; 0 is finished from the start.
Ticket CudaDevice::submit_copy(const Move& move) {
  while (copies_ - copies_finished_ >= kEvents) is_finished({false, copies_finished_ + 1});
  const void* from = move.from ? move.from : &move.word;
  if (move.bytes && move.to_host)
    cuMemcpyDtoHAsync(move.to, device_address(from), move.bytes, stream_);
  else if (move.bytes && (move.from_host || !move.from))
    cuMemcpyHtoDAsync(device_address(move.to), from, move.bytes, stream_);
  else if (move.bytes)
    copy_on_device(move);
  if (move.signal) submit_signal(move);
  ++copies_;
  if (move.signal) last_signal_ = copies_;
  cuEventRecord(events_[copies_ % kEvents], stream_);
  return {false, copies_};
}

// A copy inside the GPU may take SMs; one through the host takes copy engines only and gets through when kernels hold
// every SM until this message has come. Copies of a stream follow each other, so one staging buffer is enough.
void CudaDevice::copy_on_device(const Move& move) {
  const CUdeviceptr from = device_address(move.from);
  if (!engine_ || move.bytes > kEngineBytesMax) {
    cuMemcpyDtoDAsync(device_address(move.to), from, move.bytes, stream_);
    return;
  }
  cuMemcpyDtoHAsync(staging_, from, move.bytes, stream_);
  cuMemcpyHtoDAsync(device_address(move.to), staging_, move.bytes, stream_);
}

// Without the engine this process is the only writer of its signals, so reading and writing back is an addition.
void CudaDevice::submit_signal(const Move& move) {
  uint64_t value = 0;
  cuMemcpyDtoHAsync(&value, device_address(move.signal), sizeof(value), stream_);
  cuStreamSynchronize(stream_);
  value += move.add;
  cuStreamWriteValue64(stream_, device_address(move.signal), value, CU_STREAM_WRITE_VALUE_DEFAULT);
}

bool CudaDevice::is_finished(const Ticket& ticket) {
  if (ticket.in_order) return engine_->is_finished(ticket.number);
  while (copies_finished_ < ticket.number && cuEventQuery(events_[(copies_finished_ + 1) % kEvents]) == CUDA_SUCCESS)
    ++copies_finished_;
  return ticket.number <= copies_finished_;
}

int64_t CudaDevice::lead_ns(const Move& move) const {
  if (is_small(move))
    return calibration_.signal_lead_ns + (move.bytes ? calibration_.copy_lead_ns : 0) +
           static_cast<int64_t>(calibration_.copy_ns_per_byte * static_cast<double>(move.bytes));
  return kDriverCopyLeadNs + static_cast<int64_t>(kDriverCopyNsPerByte * static_cast<double>(move.bytes));
}

void CudaDevice::set_busy(bool busy) {
  if (engine_) engine_->set_busy(busy);
}

}  // namespace

Result<std::unique_ptr<Device>> open_cuda_device(const Settings& settings) {
  auto device = std::make_unique<CudaDevice>();
  const Result<bool> opened = device->open(settings);
  if (!opened) return opened.error();
  return std::unique_ptr<Device>(std::move(device));
}

}  // namespace cuco::nic
