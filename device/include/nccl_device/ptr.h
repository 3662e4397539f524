// A typed position in a window, the same on every rank.
#pragma once

#include "nccl_device/core.h"

template <class T>
struct ncclSymPtr {
  using ElementType = T;
  ncclWindow_t window;
  size_t offset;

  NCCL_HOST_DEVICE_INLINE constexpr ncclSymPtr(ncclWindow_t window = nullptr, size_t offset = 0)
      : window(window), offset(offset) {}
  template <class U>
  NCCL_HOST_DEVICE_INLINE operator ncclSymPtr<U>() const { return {window, offset}; }
  template <class Int>
  NCCL_HOST_DEVICE_INLINE ncclSymPtr& operator+=(Int d) {
    offset += d * (ptrdiff_t)sizeof(T);
    return *this;
  }
  template <class Int>
  NCCL_HOST_DEVICE_INLINE ncclSymPtr& operator-=(Int d) {
    offset -= d * (ptrdiff_t)sizeof(T);
    return *this;
  }

#ifdef CUCO_CUDA_SOURCE
  NCCL_DEVICE_INLINE T* localPtr() const { return (T*)ncclGetLocalPointer(window, offset); }
  NCCL_DEVICE_INLINE T* lsaPtr(int peer) const { return (T*)ncclGetLsaPointer(window, offset, peer); }
  NCCL_DEVICE_INLINE T* peerPtr(int peer) const { return (T*)ncclGetPeerPointer(window, offset, peer); }
  NCCL_DEVICE_INLINE T* peerPtr(ncclTeam team, int peer) const {
    return (T*)ncclGetPeerPointer(window, offset, team, peer);
  }
  NCCL_DEVICE_INLINE T* multimemPtr(ncclMultimemHandle mmHandle) const {
    return (T*)ncclGetMultimemPointer(window, offset, mmHandle);
  }
  NCCL_DEVICE_INLINE T* lsaMultimemPtr(ncclDevComm const& comm) const {
    return (T*)ncclGetLsaMultimemPointer(window, offset, comm);
  }
#endif
};

template <class T, class Int>
NCCL_HOST_DEVICE_INLINE ncclSymPtr<T> operator+(ncclSymPtr<T> p, Int d) { return p += d; }
template <class T, class Int>
NCCL_HOST_DEVICE_INLINE ncclSymPtr<T> operator-(ncclSymPtr<T> p, Int d) { return p -= d; }
template <class T>
NCCL_HOST_DEVICE_INLINE ptrdiff_t operator-(ncclSymPtr<T> a, ncclSymPtr<T> b) {
  return ((ptrdiff_t)a.offset - (ptrdiff_t)b.offset) / (ptrdiff_t)sizeof(T);
}
template <class T>
NCCL_HOST_DEVICE_INLINE bool operator==(ncclSymPtr<T> a, ncclSymPtr<T> b) {
  return a.window == b.window && a.offset == b.offset;
}
template <class T>
NCCL_HOST_DEVICE_INLINE bool operator!=(ncclSymPtr<T> a, ncclSymPtr<T> b) { return !(a == b); }

#ifdef CUCO_CUDA_SOURCE
NCCL_DEVICE_INLINE ncclSymPtr<char> ncclGetResourceBuffer(ncclDevComm const& comm, ncclDevResourceHandle h) {
  return {comm.resourceWindow, ncclGetResourceBufferOffset(h)};
}
#endif
