// How work of the host gets to a communication kernel.
#pragma once

#include <cuco/comm/allocate.cuh>

namespace cuco::comm {

// `more` keeps those that do not fit the arguments of a launch.
template <typename T>
void add_item(Items<T>& items, int& count, std::vector<T>& more, const T& item) {
  if (count >= kMessages) more.push_back(item);
  items.many = more.data();
  items[count++] = item;
}
template <typename T>
__global__ void store_items(Items<T> items, T* to, size_t count) {
  if (threadIdx.x < count) to[threadIdx.x] = items.few[threadIdx.x];
}
// Carried to memory by the arguments of further launches, so that nothing of the host's is read later on.
template <typename T>
cudaError_t lift_items(Items<T>& items, const std::vector<T>& more, cudaStream_t stream) {
  if (more.empty()) return cudaSuccess;
  cudaError_t result = cudaMallocAsync((void**)&items.many, more.size() * sizeof(T), stream);
  for (size_t begin = 0; begin < more.size() && result == cudaSuccess; begin += kMessages) {
    Items<T> part = {};
    size_t count = std::min(more.size() - begin, (size_t)kMessages);
    std::copy_n(more.begin() + (ptrdiff_t)begin, count, part.few);
    store_items<T><<<1, kMessages, 0, stream>>>(part, items.many + begin, count);
    result = cudaGetLastError();
  }
  return result;
}
template <typename T>
cudaError_t drop_items(const Items<T>& items, const std::vector<T>& more, cudaStream_t stream) {
  return more.empty() ? cudaSuccess : cudaFreeAsync(items.many, stream);
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
  Exchange work = {piece.phases, 0, 0, 0, {}, {}, {}, nullptr};
  std::vector<Message> more_sends, more_receives;
  for (const Message& send : piece.sends) add_item(work.sends, work.send_count, more_sends, send);
  for (const Message& receive : piece.receives) add_item(work.receives, work.receive_count, more_receives, receive);
  for (const Copy& copy : piece.copies) work.copies[work.copy_count++] = copy;
  cudaError_t result = lift_items(work.sends, more_sends, stream);
  if (result == cudaSuccess) result = lift_items(work.receives, more_receives, stream);
  work.begun = hooks().begun;
  hooks().launched += blocks;
  void* arguments[] = {&channel.endpoint, &work};
  if (result == cudaSuccess) result = cudaLaunchKernel((const void*)kernel, blocks, threads, arguments, 0, stream);
  if (result == cudaSuccess) result = drop_items(work.sends, more_sends, stream);
  return result == cudaSuccess ? drop_items(work.receives, more_receives, stream) : result;
}

}  // namespace cuco::comm
