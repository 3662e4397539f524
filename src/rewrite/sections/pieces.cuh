
// What a kernel is to do: an exchange or a part of one.
struct Piece {
  int phases = kWholeExchange;
  std::vector<Message> sends, receives;
  std::vector<Copy> copies;  // kCopies at most.
};

// A message to itself is copied by whole blocks, whoever issues the others. What only posts and waits needs few threads,
// and finds room sooner beside other work.
inline unsigned width_of(const Piece& piece, Issue issue, Reach reach) {
  if (!piece.copies.empty()) return threads_of(Issue::Block);
  bool stores = reach != Reach::Gin && !piece.sends.empty();
  return std::min(threads_of(issue), threads_of(stores ? Issue::Block : Issue::Warp));
}

inline cudaError_t run(const Piece& piece, ExchangeKernel kernel, int blocks, unsigned threads, Channel& channel,
                       cudaStream_t stream) {
  Exchange work = {piece.phases, 0, 0, 0, {}, {}, {}};
  std::vector<Message> more_sends, more_receives;
  for (const Message& send : piece.sends) add_item(work.sends, work.send_count, more_sends, send);
  for (const Message& receive : piece.receives) add_item(work.receives, work.receive_count, more_receives, receive);
  for (const Copy& copy : piece.copies) work.copies[work.copy_count++] = copy;
  cudaError_t result = lift_items(work.sends, more_sends, stream);
  if (result == cudaSuccess) result = lift_items(work.receives, more_receives, stream);
  CUCO_COUNTED;
  void* arguments[] = {&channel.endpoint, &work};
  if (result == cudaSuccess) result = cudaLaunchKernel((const void*)kernel, blocks, threads, arguments, 0, stream);
  if (result == cudaSuccess) result = drop_items(work.sends, more_sends, stream);
  return result == cudaSuccess ? drop_items(work.receives, more_receives, stream) : result;
}
