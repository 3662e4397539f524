// GPU-initiated networking: puts, signals, counters.
// A signal becomes visible after the payload it rides on and, unless it is weak, all earlier puts of this context to
// that peer; a VA signal in a window without strict ordering may pass all of them. A counter and flush speak only of the
// source buffer; without a signal nothing is known about arrival.
#pragma once

#include "nccl_device/core.h"
#include "nccl_device/ptr.h"

#define NCCL_GIN_MAX_CONTEXTS 4
typedef enum ncclNetDeviceType {
  NCCL_NET_DEVICE_HOST = 0, NCCL_NET_DEVICE_UNPACK = 1, NCCL_NET_DEVICE_GIN_PROXY = 2, NCCL_NET_DEVICE_GIN_GDAKI = 3
} ncclNetDeviceType;
#define NCCL_GIN_BACKEND_MASK_ALL ((1u << NCCL_NET_DEVICE_GIN_PROXY) | (1u << NCCL_NET_DEVICE_GIN_GDAKI))

#ifdef CUCO_CUDA_SOURCE
struct ncclGinDescriptorSmem { alignas(16) char space[64]; };
struct ncclGin_None {};
struct ncclGin_SignalAdd { ncclGinSignal_t signal; uint64_t value; };
struct ncclGin_SignalInc { ncclGinSignal_t signal; };
// Since 2.30: a weak signal covers only the put it rides on, a strong one the earlier puts too. The plain ones are strong
// unless the device communicator was made without ginStrongSignalsRequired.
struct ncclGin_WeakSignalInc { ncclGinSignal_t signal; };
struct ncclGin_WeakSignalAdd { ncclGinSignal_t signal; uint64_t value; };
struct ncclGin_StrongSignalInc { ncclGinSignal_t signal; };
struct ncclGin_StrongSignalAdd { ncclGinSignal_t signal; uint64_t value; };
// A VA signal is a 64-bit word of the peer's part of a window, which has to have NCCL_WIN_STRICT_ORDERING.
struct ncclGin_VASignalInc { ncclWindow_t signalWindow; size_t signalOffset; };
struct ncclGin_VASignalAdd { ncclWindow_t signalWindow; size_t signalOffset; uint64_t value; };
struct ncclGin_StrongVASignalInc { ncclWindow_t signalWindow; size_t signalOffset; };
struct ncclGin_StrongVASignalAdd { ncclWindow_t signalWindow; size_t signalOffset; uint64_t value; };
struct ncclGin_WeakVASignalInc { ncclWindow_t signalWindow; size_t signalOffset; };
struct ncclGin_WeakVASignalAdd { ncclWindow_t signalWindow; size_t signalOffset; uint64_t value; };
struct ncclGin_CounterInc { ncclGinCounter_t counter; };
struct ncclGin_WeakCounterInc { ncclGinCounter_t counter; };
struct ncclGin_DescriptorSmem { ncclGinDescriptorSmem* descriptor; };
// Since 2.30: where a buffer's memory lives, hints, and how contexts are shared. None changes what a run does.
struct ncclGin_SegmentDevice {};
struct ncclGin_SegmentMixed {};
struct ncclGin_SegmentHostNuma {};
enum ncclGinOptFlags {
  ncclGinOptFlagsDefault = 0, ncclGinOptFlagsMaySkipCreditCheck = 1, ncclGinOptFlagsAggregateRequests = 2
};
enum ncclGinResourceSharingMode {
  NCCL_GIN_RESOURCE_SHARING_GPU, NCCL_GIN_RESOURCE_SHARING_CTA, NCCL_GIN_RESOURCE_SHARING_WARP,
  NCCL_GIN_RESOURCE_SHARING_THREAD
};
typedef struct { uint64_t opaque[2]; } ncclGinRequest_t;

// One request to the NIC, as the virtual cluster sees it. peer is a world rank. source_window null: `bytes` of `value`
// travel inline; bytes 0: a bare signal. signal_kind 0 none, 1 increment, 2 add; 3 and 4 the same but weak, 5 and 6
// strong whatever the plain ones are. With a signal_window the signal is the word at signal_offset there.
struct cuco_gin_request {
  const ncclDevComm* comm;
  int context, peer;
  ncclWindow_t target_window, source_window;
  size_t target_offset, source_offset, bytes;
  uint64_t value;
  int signal_kind;
  uint32_t signal;
  uint64_t signal_value;
  int has_counter;
  uint32_t counter;
  ncclWindow_t signal_window;
  size_t signal_offset;
};
extern "C" {
// A get is the request with its two sides exchanged: source_window is the peer's, target_window the caller's own.
__device__ void cuco_gin_get(const cuco_gin_request* request);
__device__ uint64_t cuco_gin_read_va_signal(const ncclDevComm* comm, ncclWindow_t window, size_t offset);
__device__ uint64_t cuco_gin_wait_va_signal(const ncclDevComm* comm, ncclWindow_t window, size_t offset, uint64_t least, int bits);
__device__ void cuco_gin_reset_va_signal(const ncclDevComm* comm, ncclWindow_t window, size_t offset);
__device__ void cuco_gin_post(const cuco_gin_request* request);
__device__ void cuco_gin_flush(const ncclDevComm* comm, int context);
__device__ uint64_t cuco_gin_read_signal(const ncclDevComm* comm, int context, uint32_t signal);
__device__ uint64_t cuco_gin_read_counter(const ncclDevComm* comm, int context, uint32_t counter);
// Suspend until `least` is rolling-less-or-equal to the value in its low `bits`; return the value.
__device__ uint64_t cuco_gin_wait_signal(const ncclDevComm* comm, int context, uint32_t signal, uint64_t least, int bits);
__device__ uint64_t cuco_gin_wait_counter(const ncclDevComm* comm, int context, uint32_t counter, uint64_t least, int bits);
__device__ void cuco_gin_reset_signal(const ncclDevComm* comm, int context, uint32_t signal);
__device__ void cuco_gin_reset_counter(const ncclDevComm* comm, int context, uint32_t counter);
}

NCCL_DEVICE_INLINE void cuco_add_action(cuco_gin_request&, ncclGin_None) {}
NCCL_DEVICE_INLINE void cuco_add_action(cuco_gin_request& request, ncclGin_SignalInc action) {
  request.signal_kind = 1, request.signal = action.signal, request.signal_value = 1;
}
NCCL_DEVICE_INLINE void cuco_add_action(cuco_gin_request& request, ncclGin_SignalAdd action) {
  request.signal_kind = 2, request.signal = action.signal, request.signal_value = action.value;
}
NCCL_DEVICE_INLINE void cuco_add_action(cuco_gin_request& request, ncclGin_WeakSignalInc action) {
  request.signal_kind = 3, request.signal = action.signal, request.signal_value = 1;
}
NCCL_DEVICE_INLINE void cuco_add_action(cuco_gin_request& request, ncclGin_WeakSignalAdd action) {
  request.signal_kind = 4, request.signal = action.signal, request.signal_value = action.value;
}
NCCL_DEVICE_INLINE void cuco_add_action(cuco_gin_request& request, ncclGin_StrongSignalInc action) {
  request.signal_kind = 5, request.signal = action.signal, request.signal_value = 1;
}
NCCL_DEVICE_INLINE void cuco_add_action(cuco_gin_request& request, ncclGin_StrongSignalAdd action) {
  request.signal_kind = 6, request.signal = action.signal, request.signal_value = action.value;
}
NCCL_DEVICE_INLINE void cuco_add_action(cuco_gin_request& request, ncclGin_CounterInc action) {
  request.has_counter = 1, request.counter = action.counter;
}
NCCL_DEVICE_INLINE void cuco_add_action(cuco_gin_request& request, ncclGin_WeakCounterInc action) {
  cuco_add_action(request, ncclGin_CounterInc{action.counter});
}
#define CUCO_VA_SIGNAL(NAME, KIND, VALUE)                                                      \
  NCCL_DEVICE_INLINE void cuco_add_action(cuco_gin_request& request, NAME action) {            \
    request.signal_kind = KIND, request.signal_value = VALUE;                                  \
    request.signal_window = action.signalWindow, request.signal_offset = action.signalOffset;  \
  }
CUCO_VA_SIGNAL(ncclGin_VASignalInc, 1, 1)
CUCO_VA_SIGNAL(ncclGin_VASignalAdd, 2, action.value)
CUCO_VA_SIGNAL(ncclGin_StrongVASignalInc, 5, 1)
CUCO_VA_SIGNAL(ncclGin_StrongVASignalAdd, 6, action.value)
CUCO_VA_SIGNAL(ncclGin_WeakVASignalInc, 3, 1)
CUCO_VA_SIGNAL(ncclGin_WeakVASignalAdd, 4, action.value)
#undef CUCO_VA_SIGNAL

template <unsigned backendMask>
struct ncclGin_BackendMask {
  ncclDevComm const& comm;
  uint32_t nContexts : 8, contextId : 8;
  uint64_t* _signalShadows;

  NCCL_DEVICE_INLINE ncclGin_BackendMask(ncclDevComm const& devComm, int contextIndex,
                                         ncclGinResourceSharingMode = NCCL_GIN_RESOURCE_SHARING_GPU)
      : comm(devComm),
        nContexts(devComm.ginContextCount),
        contextId(devComm.ginContextCount ? contextIndex % devComm.ginContextCount : 0),
        _signalShadows(devComm.ginSignalShadows + contextId * devComm.ginSignalCount) {}

  template <class RemoteAction = ncclGin_None, class LocalAction = ncclGin_None, class Coop = ncclCoopThread,
            class DescriptorSmem = ncclGin_None, class Segment = ncclGin_SegmentDevice>
  NCCL_DEVICE_INLINE void put(ncclTeam team, int peer, ncclWindow_t dstWnd, size_t dstOffset, ncclWindow_t srcWnd,
                              size_t srcOffset, size_t bytes, RemoteAction remoteAction = ncclGin_None{},
                              LocalAction localAction = ncclGin_None{}, Coop coop = ncclCoopThread{},
                              DescriptorSmem descriptor = ncclGin_None{},
                              cuda::thread_scope alreadyReleased = cuda::thread_scope_thread,
                              cuda::thread_scope expected_scope = cuda::thread_scope_device,
                              uint32_t optFlags = ncclGinOptFlagsDefault, Segment = ncclGin_SegmentDevice{}) const {
    cuco_gin_request request = request_to(team, peer);
    request.target_window = dstWnd, request.target_offset = dstOffset;
    request.source_window = srcWnd, request.source_offset = srcOffset;
    request.bytes = bytes;
    cuco_add_action(request, localAction);
    post(request, remoteAction, coop);
  }
  template <class T, class RemoteAction = ncclGin_None, class LocalAction = ncclGin_None, class Coop = ncclCoopThread,
            class DescriptorSmem = ncclGin_None, class Segment = ncclGin_SegmentDevice>
  NCCL_DEVICE_INLINE void put(ncclTeam team, int peer, ncclSymPtr<T> dstElts, ncclSymPtr<T> srcElts, size_t nElts,
                              RemoteAction remoteAction = ncclGin_None{}, LocalAction localAction = ncclGin_None{},
                              Coop coop = ncclCoopThread{}, DescriptorSmem descriptor = ncclGin_None{},
                              cuda::thread_scope alreadyReleased = cuda::thread_scope_thread,
                              cuda::thread_scope expected_scope = cuda::thread_scope_device,
                              uint32_t optFlags = ncclGinOptFlagsDefault, Segment = ncclGin_SegmentDevice{}) const {
    put(team, peer, dstElts.window, dstElts.offset, srcElts.window, srcElts.offset, nElts * sizeof(T), remoteAction,
        localAction, coop, descriptor, alreadyReleased, expected_scope);
  }
  template <class T, class RemoteAction = ncclGin_None, class Coop = ncclCoopThread,
            class DescriptorSmem = ncclGin_None>
  NCCL_DEVICE_INLINE void putValue(ncclTeam team, int peer, ncclWindow_t dstWnd, size_t dstOffset, T value,
                                   RemoteAction remoteAction = ncclGin_None{}, Coop coop = ncclCoopThread{},
                                   DescriptorSmem descriptor = ncclGin_None{},
                                   cuda::thread_scope alreadyReleased = cuda::thread_scope_thread,
                                   cuda::thread_scope expected_scope = cuda::thread_scope_device,
                                   uint32_t optFlags = ncclGinOptFlagsDefault) const {
    static_assert(sizeof(T) <= 8, "putValue sends at most 8 bytes");
    cuco_gin_request request = request_to(team, peer);
    request.target_window = dstWnd, request.target_offset = dstOffset;
    request.value = cuco_offer(value), request.bytes = sizeof(T);
    post(request, remoteAction, coop);
  }
  template <class T, class RemoteAction = ncclGin_None, class Coop = ncclCoopThread,
            class DescriptorSmem = ncclGin_None>
  NCCL_DEVICE_INLINE void putValue(ncclTeam team, int peer, ncclSymPtr<T> dst, T value,
                                   RemoteAction remoteAction = ncclGin_None{}, Coop coop = ncclCoopThread{},
                                   DescriptorSmem descriptor = ncclGin_None{},
                                   cuda::thread_scope alreadyReleased = cuda::thread_scope_thread,
                                   cuda::thread_scope expected_scope = cuda::thread_scope_device,
                                   uint32_t optFlags = ncclGinOptFlagsDefault) const {
    putValue(team, peer, dst.window, dst.offset, value, remoteAction, coop, descriptor, alreadyReleased,
             expected_scope);
  }
  template <class RemoteAction, class Coop = ncclCoopThread, class DescriptorSmem = ncclGin_None>
  NCCL_DEVICE_INLINE void signal(ncclTeam team, int peer, RemoteAction remoteAction, Coop coop = ncclCoopThread(),
                                 DescriptorSmem descriptor = ncclGin_None{},
                                 cuda::thread_scope alreadyReleased = cuda::thread_scope_thread,
                                 cuda::thread_scope expected_scope = cuda::thread_scope_device,
                                 uint32_t optFlags = ncclGinOptFlagsDefault) const {
    post(request_to(team, peer), remoteAction, coop);
  }

  // Since 2.30: the peer's bytes come to the caller's window; they are there after a flush of this context.
  template <class Coop = ncclCoopThread, class DescriptorSmem = ncclGin_None, class Segment = ncclGin_SegmentDevice>
  NCCL_DEVICE_INLINE void get(ncclTeam team, int peer, ncclWindow_t remoteWnd, size_t remoteOffset,
                              ncclWindow_t localWnd, size_t localOffset, size_t bytes, Coop coop = ncclCoopThread{},
                              DescriptorSmem descriptor = ncclGin_None{}, uint32_t optFlags = ncclGinOptFlagsDefault,
                              Segment = ncclGin_SegmentDevice{}) const {
    cuco_gin_request request = request_to(team, peer);
    request.source_window = remoteWnd, request.source_offset = remoteOffset;
    request.target_window = localWnd, request.target_offset = localOffset;
    request.bytes = bytes;
    coop.sync();
    if (coop.thread_rank() == 0) cuco_gin_get(&request);
    coop.sync();
  }

  template <class Coop, class DescriptorSmem = ncclGin_None>
  NCCL_DEVICE_INLINE void flush(Coop coop, cuda::memory_order ord = cuda::memory_order_acquire,
                                DescriptorSmem descriptor = ncclGin_None{}) const {
    coop.sync();
    if (coop.thread_rank() == 0) cuco_gin_flush(&comm, contextId);
    coop.sync();
  }
  // A flush in two halves: the second waits for everything posted so far, which is more than it promises.
  template <class Coop = ncclCoopThread, class DescriptorSmem = ncclGin_None>
  NCCL_DEVICE_INLINE void flushAsync(ncclTeam team, uint32_t peer, ncclGinRequest_t* outRequest,
                                     Coop coop = ncclCoopThread{}, uint32_t optFlags = ncclGinOptFlagsDefault,
                                     DescriptorSmem descriptor = ncclGin_None{}) const {
    outRequest->opaque[0] = contextId;
    outRequest->opaque[1] = peer;
  }
  template <class Coop = ncclCoopThread, class DescriptorSmem = ncclGin_None>
  NCCL_DEVICE_INLINE void wait(ncclGinRequest_t& request, Coop coop = ncclCoopThread{},
                               DescriptorSmem descriptor = ncclGin_None{},
                               cuda::memory_order ord = cuda::memory_order_acquire) const {
    flush(coop, ord);
  }

  NCCL_DEVICE_INLINE uint64_t readCounter(ncclGinCounter_t counter, int bits = 56,
                                          cuda::memory_order ord = cuda::memory_order_acquire) const {
    return cuco_gin_read_counter(&comm, contextId, counter) & (~uint64_t(0) >> (64 - bits));
  }
  template <class Coop>
  NCCL_DEVICE_INLINE void waitCounter(Coop coop, ncclGinCounter_t counter, uint64_t least, int bits = 56,
                                      cuda::memory_order ord = cuda::memory_order_acquire) const {
    coop.sync();
    if (coop.thread_rank() == 0) cuco_gin_wait_counter(&comm, contextId, counter, least, bits);
    coop.sync();
  }
  NCCL_DEVICE_INLINE void resetCounter(ncclGinCounter_t counter) const {
    cuco_gin_reset_counter(&comm, contextId, counter);
  }

  NCCL_DEVICE_INLINE uint64_t* getSignalShadowPtr(ncclGinSignal_t signal) const { return _signalShadows + signal; }
  NCCL_DEVICE_INLINE void increaseSignalShadow(ncclGinSignal_t signal, uint64_t delta) const {
    _signalShadows[signal] += delta;
  }
  NCCL_DEVICE_INLINE uint64_t readSignal(ncclGinSignal_t signal, int bits = 64,
                                         cuda::memory_order ord = cuda::memory_order_acquire) const {
    uint64_t value = cuco_gin_read_signal(&comm, contextId, signal) & (~uint64_t(0) >> (64 - bits));
    acquire(ord);
    return value;
  }
  template <class Coop>
  NCCL_DEVICE_INLINE void waitSignal(Coop coop, ncclGinSignal_t signal, uint64_t least, int bits = 64,
                                     cuda::memory_order ord = cuda::memory_order_acquire) const {
    coop.sync();
    if (coop.thread_rank() == 0) cuco_gin_wait_signal(&comm, contextId, signal, least, bits);
    coop.sync();
    acquire(ord);
  }
  NCCL_DEVICE_INLINE uint64_t readSignal(ncclWindow_t signalWindow, size_t signalOffset, int bits = 64,
                                         cuda::memory_order ord = cuda::memory_order_acquire) const {
    uint64_t value = cuco_gin_read_va_signal(&comm, signalWindow, signalOffset) & (~uint64_t(0) >> (64 - bits));
    acquire(ord);
    return value;
  }
  template <class Coop>
  NCCL_DEVICE_INLINE void waitSignal(Coop coop, ncclWindow_t signalWindow, size_t signalOffset, uint64_t least,
                                     int bits = 64, cuda::memory_order ord = cuda::memory_order_acquire) const {
    coop.sync();
    if (coop.thread_rank() == 0) cuco_gin_wait_va_signal(&comm, signalWindow, signalOffset, least, bits);
    coop.sync();
    acquire(ord);
  }
  NCCL_DEVICE_INLINE void resetSignal(ncclWindow_t signalWindow, size_t signalOffset) const {
    cuco_gin_reset_va_signal(&comm, signalWindow, signalOffset);
  }
  template <class Coop>
  NCCL_DEVICE_INLINE void waitSignalMeetShadow(Coop coop, ncclGinSignal_t signal, int bits = 64,
                                               cuda::memory_order ord = cuda::memory_order_acquire) const {
    coop.sync();
    if (coop.thread_rank() == 0) cuco_gin_wait_signal(&comm, contextId, signal, _signalShadows[signal], bits);
    coop.sync();
    acquire(ord);
  }
  template <class Coop, class Uint>
  NCCL_DEVICE_INLINE void waitSignalFollowShadow(Coop coop, ncclGinSignal_t signal, Uint leastDelta, Uint* before,
                                                 Uint* delta, int bits = 64,
                                                 cuda::memory_order ord = cuda::memory_order_acquire) const {
    coop.sync();
    uint64_t old = _signalShadows[signal], reached = 0;
    if (coop.thread_rank() == 0) {
      reached = cuco_gin_wait_signal(&comm, contextId, signal, old + leastDelta, bits);
      // The caller is told of all that has come, so it is a wait for all of it.
      cuco_gin_wait_signal(&comm, contextId, signal, reached, bits);
    }
    reached = ncclCoopBcast(coop, reached, 0, false);
    uint64_t mask = ~uint64_t(0) >> (64 - bits);
    *before = (Uint)(old & mask);
    *delta = (Uint)((reached - old) & mask);
    coop.sync();
    if (coop.thread_rank() == 0) _signalShadows[signal] = reached;
    acquire(ord);
  }
  NCCL_DEVICE_INLINE void resetSignal(ncclGinSignal_t signal) const {
    cuco_gin_reset_signal(&comm, contextId, signal);
    _signalShadows[signal] = 0;
  }

 private:
  static NCCL_DEVICE_INLINE void acquire(cuda::memory_order order) {
    if (nccl::utility::acquireOrderOf(order) != cuda::memory_order_relaxed) cuco_fence(CucoScopeSystem);
  }
  NCCL_DEVICE_INLINE cuco_gin_request request_to(ncclTeam team, int peer) const {
    cuco_gin_request request = {};
    request.comm = &comm;
    request.context = contextId;
    request.peer = ncclTeamRankToWorld(comm, team, peer);
    return request;
  }
  template <class RemoteAction, class Coop>
  NCCL_DEVICE_INLINE void post(cuco_gin_request request, RemoteAction action, Coop coop) const {
    cuco_add_action(request, action);
    coop.sync();
    if (coop.thread_rank() == 0) cuco_gin_post(&request);
    coop.sync();
  }
};

template <ncclNetDeviceType backend>
using ncclGin_BackendOne = ncclGin_BackendMask<(1u << (int)backend)>;
using ncclGin = ncclGin_BackendMask<NCCL_GIN_BACKEND_MASK_ALL>;
#endif
