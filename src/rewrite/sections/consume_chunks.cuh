
// Messages that come in parts, so that who reads one part need not wait for the next. Sender and receiver know the bytes
// of a message and cut it alike.
inline void add_parts(const Course& course, const Message& message, uint32_t& count, std::vector<Message>& all) {
  constexpr size_t kGrain = 16, kPartsMax = 8;  // Copies of parts stay wide; slots are for so many of a message.
  size_t wanted = std::max<size_t>((message.bytes + course.chunk_bytes - 1) / course.chunk_bytes, 1);
  size_t parts = std::min(wanted, kPartsMax), grains = (message.bytes + kGrain - 1) / kGrain;
  for (size_t i = 0; i < parts; i++) {
    size_t begin = std::min(grains * i / parts * kGrain, message.bytes);
    size_t end = std::min(grains * (i + 1) / parts * kGrain, message.bytes);
    all.push_back(message);
    all.back().offset += begin;
    all.back().bytes = end - begin;
    all.back().number = count++;
  }
}
