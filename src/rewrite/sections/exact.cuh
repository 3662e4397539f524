
// How much of a message is received is for the receiver to say: its announcement carries the number of bytes, and the
// sender sends no more.
inline std::map<const void*, size_t>& wishes() {
  thread_local std::map<const void*, size_t> all;
  return all;
}
// Of the message that is received at `pointer` next, no more than the first `bytes` bytes will be read.
inline void wanted(const void* pointer, size_t bytes) { wishes()[pointer] = bytes; }
inline size_t wanted_of(const void* pointer, size_t bytes) {
  auto wish = wishes().find(pointer);
  if (wish == wishes().end()) return bytes;
  size_t least = wish->second < bytes ? wish->second : bytes;
  wishes().erase(wish);
  return least;
}
