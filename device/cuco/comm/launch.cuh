// How work of the host gets to a communication kernel.
#pragma once

#include <cuco/comm/allocate.cuh>

namespace cuco::comm {

template <typename T>
__global__ void store_items(Items<T> items, T* to, size_t count) {
  if (threadIdx.x < count) to[threadIdx.x] = items.few[threadIdx.x];
}
// Puts items into the arguments of a launch on the stream. Those that do not fit are carried to memory by the arguments
// of further launches, so that nothing of the host's is read later on.
template <typename T>
cudaError_t carry_items(const std::vector<T>& all, Items<T>& items, int& count, cudaStream_t stream) {
  auto take = [&](size_t begin, Items<T>& to) {
    size_t taken = std::min(all.size() - begin, (size_t)kMessages);
    std::copy_n(all.begin() + (ptrdiff_t)begin, taken, to.few);
    return taken;
  };
  count = (int)all.size();
  size_t few = take(0, items);
  if (few == all.size()) return cudaSuccess;
  cudaError_t result = cudaMallocAsync((void**)&items.many, (all.size() - few) * sizeof(T), stream);
  for (size_t begin = few; begin < all.size() && result == cudaSuccess; begin += kMessages) {
    Items<T> part = {};
    size_t taken = take(begin, part);
    store_items<T><<<1, kMessages, 0, stream>>>(part, items.many + (begin - few), taken);
    result = cudaGetLastError();
  }
  return result;
}
// Behind the launch.
template <typename T>
cudaError_t drop_items(const Items<T>& items, int count, cudaStream_t stream) {
  return count <= kMessages ? cudaSuccess : cudaFreeAsync(items.many, stream);
}

// Launches carry the numbers of their messages, so that a graph would send the same ones again and again.
inline bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  bool captured = cudaStreamIsCapturing(stream, &status) == cudaSuccess && status == cudaStreamCaptureStatusActive;
  if (captured) std::fprintf(stderr, "cuco::comm: a call cannot be captured into a CUDA graph\n");
  return captured;
}

// What a kernel is to do: an exchange or a part of one.
struct Piece {
  int phases = kAllPhases;
  std::vector<Message> sends, receives;
  std::vector<Copy> copies;  // kCopies at most.
};

// A message to itself is copied by whole blocks, whoever issues the others. What only posts and waits needs few
// threads, and finds room sooner beside other work.
inline unsigned width_of(const Piece& piece, Issue issue, Via via) {
  if (!piece.copies.empty()) return threads_of(Issue::Block);
  bool stores = via != Via::Gin && !piece.sends.empty();
  return std::min(threads_of(issue), threads_of(stores ? Issue::Block : Issue::Warp));
}

inline cudaError_t run(const Piece& piece, ExchangeKernel kernel, int blocks, unsigned threads, Channel& channel,
                       cudaStream_t stream) {
  OnDevice on(channel.device);
  Exchange work = {piece.phases, 0, 0, 0, {}, {}, {}, hooks().begun};
  for (const Copy& copy : piece.copies) work.copies[work.copy_count++] = copy;
  cudaError_t result = carry_items(piece.sends, work.sends, work.send_count, stream);
  if (result == cudaSuccess) result = carry_items(piece.receives, work.receives, work.receive_count, stream);
  hooks().launched += blocks;
  void* arguments[] = {&channel.endpoint, &work};
  if (result == cudaSuccess) result = cudaLaunchKernel((const void*)kernel, blocks, threads, arguments, 0, stream);
  if (result == cudaSuccess) result = drop_items(work.sends, work.send_count, stream);
  return result == cudaSuccess ? drop_items(work.receives, work.receive_count, stream) : result;
}

// `stream` goes on after what is on `other` by now.
inline void follow(cudaStream_t stream, cudaEvent_t event, cudaStream_t other) {
  cudaEventRecord(event, other);
  cudaStreamWaitEvent(stream, event, 0);
}

// By the copy engine, which takes nothing from kernels.
inline cudaError_t copy_on(cudaStream_t stream, const std::vector<Copy>& copies) {
  cudaError_t result = cudaSuccess;
  for (const Copy& copy : copies)
    if (result == cudaSuccess)
      result = cudaMemcpyAsync(copy.to, copy.from, copy.bytes, cudaMemcpyDeviceToDevice, stream);
  return result;
}

}  // namespace cuco::comm
