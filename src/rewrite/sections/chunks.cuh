
// Messages that leave in parts as the work on them is done. Sender and receiver know the bytes of a message and cut it
// alike, into parts that are small at both ends.
inline void add_parts(const Course& course, const Message& message, uint32_t& count, std::vector<Message>& all) {
  constexpr size_t kGrain = 16;  // Copies of parts stay wide.
  size_t wanted = (message.bytes + course.chunk_bytes - 1) / course.chunk_bytes;
  int parts = (int)std::min<size_t>(std::max<size_t>(wanted, 1), kSlicesMax);
  unsigned cuts[kSlicesMax + 1];
  cut_units((unsigned)((message.bytes + kGrain - 1) / kGrain), parts, cuts);
  for (int i = 0; i < parts; i++) {
    Message part = message;
    part.offset += cuts[i] * kGrain;
    part.bytes = std::min(cuts[i + 1] * kGrain, message.bytes) - std::min(cuts[i] * kGrain, message.bytes);
    part.number = count++;
    all.push_back(part);
  }
}
