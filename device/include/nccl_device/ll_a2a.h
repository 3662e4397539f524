// Low-latency all-to-all inside the LSA team: every 8 bytes travel with the epoch they belong to, so the receiver
// needs no separate signal. Two halves of slots alternate between epochs.
#pragma once

#include "nccl_device/core.h"

NCCL_EXTERN_C __host__ int ncclLLA2ACalcSlots(int maxElts, int maxEltSize);
NCCL_EXTERN_C __host__ ncclResult_t ncclLLA2ACreateRequirement(int nBlocks, int nSlots, ncclLLA2AHandle_t* outHandle,
                                                               ncclDevResourceRequirements_t* outReq);

#ifdef CUCO_CUDA_SOURCE
struct cuco_ll_line { uint64_t payload, epoch; };

template <class Coop>
struct ncclLLA2ASession {
  NCCL_DEVICE_INLINE ncclLLA2ASession(Coop coop, ncclDevComm const& comm, ncclTeam team, ncclLLA2AHandle handle,
                                      uint32_t block, int maxElts, bool multimem = false,
                                      ncclMultimemHandle mmHandle = {})
      : coop(coop), comm(comm), team(team), handle(handle), block(block), pitch(maxElts) {
    epoch = block_lines(team.rank)->epoch + 1;
  }
  NCCL_DEVICE_INLINE ~ncclLLA2ASession() {
    coop.sync();
    if (coop.thread_rank() == 0) block_lines(team.rank)->epoch = epoch - 1;
    coop.sync();
  }
  ncclLLA2ASession(ncclLLA2ASession const&) = delete;

  template <class T>
  NCCL_DEVICE_INLINE void send(int peer, int slot, T data) {
    uint64_t words[lines_of<T>()] = {};
    __builtin_memcpy(words, &data, sizeof(T));
    for (int i = 0; i < lines_of<T>(); i++) *line(peer, slot + i * pitch) = cuco_ll_line{words[i], epoch};
  }
  template <class T>
  NCCL_DEVICE_INLINE void bcast(int slot, T data) {
    for (int peer = 0; peer < team.nRanks; peer++) send(peer, slot, data);
  }
  template <class T>
  NCCL_DEVICE_INLINE T recv(int slot) {
    uint64_t words[lines_of<T>()];
    for (int i = 0; i < lines_of<T>(); i++) {
      cuco_ll_line* from = line(team.rank, slot + i * pitch);
      while (cuco_polled_load(&from->epoch) != epoch) {}
      words[i] = from->payload;
    }
    T data;
    __builtin_memcpy(&data, words, sizeof(T));
    return data;
  }
  template <int MinEltCount, int MaxEltCount, class T>
  NCCL_DEVICE_INLINE void recvUnrolled(int eltStart, int eltCount, int eltStride, T (&vals)[MaxEltCount]) {
    for (int i = 0; i < MaxEltCount && (i < MinEltCount || i < eltCount); i++)
      vals[i] = recv<T>(eltStart + i * eltStride);
  }
  template <int Unroll, class Elt, class EltToAcc, class Reduce>
  NCCL_DEVICE_INLINE auto recvReduce(int eltStart, int eltCount, int eltStride, EltToAcc eltToAcc, Reduce red)
      -> decltype(eltToAcc(std::declval<Elt>())) {
    auto sum = eltToAcc(recv<Elt>(eltStart));
    for (int i = 1; i < eltCount; i++) sum = red(sum, eltToAcc(recv<Elt>(eltStart + i * eltStride)));
    return sum;
  }
  NCCL_DEVICE_INLINE void endEpoch(Coop) {
    coop.sync();
    epoch += 1;
  }

 private:
  template <class T>
  static NCCL_DEVICE_INLINE constexpr int lines_of() { return (sizeof(T) + 7) / 8; }
  NCCL_DEVICE_INLINE cuco_ll_line* block_lines(int peer) const {
    void* lines = ncclGetResourceBufferPeerPointer(comm, handle.bufHandle, team, peer);
    return (cuco_ll_line*)lines + (size_t)block * (1 + 2 * handle.nSlots);
  }
  NCCL_DEVICE_INLINE cuco_ll_line* line(int peer, int slot) const {
    return block_lines(peer) + 1 + (epoch & 1) * handle.nSlots + slot;
  }

  Coop coop;
  ncclDevComm const& comm;
  ncclTeam team;
  ncclLLA2AHandle handle;
  uint32_t block;
  int pitch;
  uint64_t epoch;
};
#endif
