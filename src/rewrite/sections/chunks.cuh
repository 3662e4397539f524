
// Messages that leave in parts as the work on them is done. Sender and receiver know the bytes of a message and cut it
// alike, into parts that are small at both ends. `add` gets where each begins and ends.
template <typename Add>
void cut_bytes(const Course& course, size_t bytes, const Add& add) {
  constexpr size_t kGrain = 16;  // Copies of parts stay wide.
  size_t wanted = (bytes + course.chunk_bytes - 1) / course.chunk_bytes;
  int parts = (int)std::min<size_t>(std::max<size_t>(wanted, 1), kSlicesMax);
  unsigned cuts[kSlicesMax + 1];
  cut_units((unsigned)((bytes + kGrain - 1) / kGrain), parts, cuts);
  for (int i = 0; i < parts; i++) add(std::min(cuts[i] * kGrain, bytes), std::min(cuts[i + 1] * kGrain, bytes));
}
inline void add_parts(const Course& course, const Message& message, uint32_t& count, std::vector<Message>& all) {
  cut_bytes(course, message.bytes, [&](size_t begin, size_t end) {
    Message part = message;
    part.offset += begin;
    part.bytes = end - begin;
    part.number = count++;
    all.push_back(part);
  });
}
// What a rank sends to itself: copied whole it would wait for the last of the work on it.
inline void cut_copies(const Course& course, std::vector<Copy>& copies) {
  std::vector<Copy> whole;
  if (course.chunk_bytes > 0) whole.swap(copies);
  for (const Copy& copy : whole)
    cut_bytes(course, copy.bytes, [&](size_t begin, size_t end) {
      if (begin < end) copies.push_back({copy.to + begin, copy.from + begin, end - begin});
    });
}
