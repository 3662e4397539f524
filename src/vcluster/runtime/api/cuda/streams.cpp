// Streams, events and waiting for them.
#include "base/text.h"
#include "vcluster/runtime/api/cuda/objects.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/checkers/host_access.h"
#include "vcluster/runtime/checkers/leaks.h"
#include "vcluster/runtime/engine/handles.h"
#include "vcluster/runtime/gpu/graph.h"
#include "vcluster/runtime/harness/plain_loop.h"
#include "vcluster/runtime/harness/plain_outputs.h"

namespace cuco::vcluster {

Device& current_device() {
  HostThread& host = *world->current_host;
  return *host.process->devices[static_cast<size_t>(host.device)];
}

cudaError_t fail(cudaError_t error) {
  if (error != cudaSuccess && world->current_host) world->current_host->last_error = error;
  return error;
}

cudaError_t state_of(const Device& device) { return static_cast<cudaError_t>(device.sticky_error()); }

namespace {

Stream& per_thread_stream() {
  static std::map<std::pair<HostThread*, Device*>, Stream*> made;
  Device& device = current_device();
  Stream*& stream = made[{world->current_host, &device}];
  if (!stream) stream = device.streams.emplace_back(std::make_unique<Stream>(device, StreamKind::Blocking, 0)).get();
  return *stream;
}

}  // namespace

Stream* stream_of(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return &current_device().default_stream();
  if (handle == cudaStreamPerThread) return &per_thread_stream();
  return Handles<Stream>::find(handle);
}

}  // namespace cuco::vcluster

using namespace cuco::vcluster;

namespace {

cudaError_t make_stream(cudaStream_t* out, unsigned flags, int priority) {
  if (!out) return fail(cudaErrorInvalidValue);
  StreamKind kind = flags & cudaStreamNonBlocking ? StreamKind::NonBlocking : StreamKind::Blocking;
  Device& device = current_device();
  device.streams.push_back(std::make_unique<Stream>(device, kind, priority));
  *out = reinterpret_cast<cudaStream_t>(Handles<Stream>::open(device.streams.back().get()));
  note_open(current_process(), *out, "stream", "cudaStreamDestroy");
  world->pass_time(world->costs.host_call);
  return cudaSuccess;
}

// Null when it was destroyed or never made.
CUevent_st* event_of(cudaEvent_t handle) { return Handles<CUevent_st>::find(handle); }

// A stream that waits for an event of a capture takes part in it from there on.
cudaError_t join_capture(Stream& stream, const CUevent_st& event) {
  if (stream.capture && stream.capture != event.capture) return fail(cudaErrorStreamCaptureMerge);
  if (!stream.capture && stream.kind() == StreamKind::Legacy) return fail(cudaErrorStreamCaptureImplicit);
  stream.capture = event.capture;
  event.capture->join(stream, event.marks);
  return cudaSuccess;
}

// The callback runs on a thread of its own: it may block on locks that the program's threads hold.
struct HostCall {
  cudaHostFn_t function;
  void* data;
  OperationPtr operation;

  static void* run(void* argument) {
    std::unique_ptr<HostCall> call(static_cast<HostCall*>(argument));
    races().host_learns(call->operation->race_id);
    host_races().on_function_begin(*world->current_host, *call->operation);
    call->function(call->data);
    world->settle_host_work();
    call->operation->finish();
    return nullptr;
  }
};

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return make_stream(stream, 0, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) { return make_stream(stream, flags, 0); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return make_stream(stream, flags, -priority);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  Stream* stream = stream_of(handle);
  if (!stream) return fail(cudaErrorInvalidResourceHandle);
  *priority = -stream->priority();
  return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  Stream* stream = stream_of(handle);
  if (!stream) return fail(cudaErrorInvalidResourceHandle);
  *flags = stream->kind() == StreamKind::NonBlocking ? cudaStreamNonBlocking : 0;
  return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  Stream* stream = stream_of(handle);
  if (!stream) return fail(cudaErrorInvalidResourceHandle);
  const std::vector<Device*>& seen = current_process().devices;
  *device = static_cast<int>(std::find(seen.begin(), seen.end(), &stream->device()) - seen.begin());
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  if (!Handles<Stream>::close(handle)) return fail(cudaErrorInvalidResourceHandle);
  note_closed(handle);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  Stream* stream = stream_of(handle);
  if (!stream) return fail(cudaErrorInvalidResourceHandle);
  if (stream->capture) return fail(cudaErrorStreamCaptureUnsupported);
  world->pass_time(world->costs.host_call);
  wait_on_host(stream->settle());
  return state_of(stream->device());
}
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  Stream* stream = stream_of(handle);
  if (!stream) return fail(cudaErrorInvalidResourceHandle);
  if (stream->capture) return fail(cudaErrorStreamCaptureUnsupported);
  world->pass_time(world->costs.host_call);
  if (cudaError_t broken = state_of(stream->device()); broken != cudaSuccess) return broken;
  OperationPtr last = stream->settle();
  if (!stream->idle()) return cudaErrorNotReady;
  wait_on_host(last);
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  world->pass_time(world->costs.host_call);
  Device& device = current_device();
  for (const std::unique_ptr<Stream>& stream : device.streams)
    if (stream->capture) return fail(cudaErrorStreamCaptureUnsupported);
  for (size_t i = 0; i < device.streams.size(); i++) wait_on_host(device.streams[i]->settle());
  return state_of(device);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (!event) return fail(cudaErrorInvalidValue);
  auto* made = new CUevent_st;
  made->timed = !(flags & cudaEventDisableTiming);
  *event = Handles<CUevent_st>::open(made);
  note_open(current_process(), *event, "event", "cudaEventDestroy");
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  CUevent_st* event = Handles<CUevent_st>::close(handle);
  if (!event) return fail(cudaErrorInvalidResourceHandle);
  note_closed(handle);
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t named, cudaStream_t handle) {
  Stream* stream = stream_of(handle);
  CUevent_st* event = event_of(named);
  if (!stream || !event) return fail(cudaErrorInvalidResourceHandle);
  world->pass_time(world->costs.host_call);
  if (cudaError_t broken = state_of(stream->device()); broken != cudaSuccess) return broken;
  event->capture = stream->capture;
  if (event->capture) {
    event->marks = event->capture->marks(*stream);
    return cudaSuccess;
  }
  event->recorded = stream->submit("an event record", 0, [](Operation& self) { self.finish(); });
  event->recorded->clock_lead = stream->device().clock_lead;
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t handle, unsigned) {
  return cudaEventRecord(event, handle);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t named, unsigned) {
  Stream* stream = stream_of(handle);
  CUevent_st* event = event_of(named);
  if (!stream || !event) return fail(cudaErrorInvalidResourceHandle);
  world->pass_time(world->costs.host_call);
  if (event->capture) return join_capture(*stream, *event);
  if (stream->capture && event->recorded) return fail(cudaErrorStreamCaptureIsolation);
  stream->wait_for(event->recorded);
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t named) {
  CUevent_st* event = event_of(named);
  if (!event) return fail(cudaErrorInvalidResourceHandle);
  if (event->capture) return fail(cudaErrorCapturedEvent);
  world->pass_time(world->costs.host_call);
  if (cudaError_t broken = state_of(current_device()); broken != cudaSuccess) return broken;
  if (event->recorded && !event->recorded->done) return cudaErrorNotReady;
  wait_on_host(event->recorded);
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t named) {
  CUevent_st* event = event_of(named);
  if (!event) return fail(cudaErrorInvalidResourceHandle);
  if (event->capture) return fail(cudaErrorCapturedEvent);
  world->pass_time(world->costs.host_call);
  wait_on_host(event->recorded);
  return state_of(current_device());
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t first, cudaEvent_t last) {
  CUevent_st *start = event_of(first), *end = event_of(last);
  if (!ms || !start || !end || !start->timed || !end->timed || !start->recorded || !end->recorded)
    return fail(cudaErrorInvalidResourceHandle);
  if (!start->recorded->done || !end->recorded->done) return fail(cudaErrorNotReady);
  world->timeline.add_timed(end->recorded->rank, start->recorded->end, end->recorded->end);
  plain_outputs().on_timed(end->recorded->rank, start->recorded->end, end->recorded->end);
  Time shown = end->recorded->end + end->recorded->clock_lead - start->recorded->end - start->recorded->clock_lead;
  *ms = static_cast<float>(to_us(shown) * 1e-3);
  plain_loop().on_elapsed();
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  Stream* stream = stream_of(handle);
  if (!stream || !function) return fail(cudaErrorInvalidResourceHandle);
  Process* process = &current_process();
  stream->issue([=](Stream& on) {
    OperationPtr made = on.submit("a host function", 0, [=](Operation& self) {
      world->start_thread(*process, HostCall::run, new HostCall{function, data, self.self});
    });
    host_races().on_function_queued(*made);
    return made;
  });
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data, unsigned) {
  struct Call {
    cudaStream_t stream;
    cudaStreamCallback_t callback;
    void* data;
  };
  auto run = [](void* argument) {
    auto* call = static_cast<Call*>(argument);
    call->callback(call->stream, cudaSuccess, call->data);
  };
  return cudaLaunchHostFunc(handle, run, new Call{handle, callback, data});
}
}
