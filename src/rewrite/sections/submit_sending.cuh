
// How many of the `count` runs of `length` bytes, `step` apart from `at` on, meet [begin, end).
inline ptrdiff_t runs_that_meet(const char* at, ptrdiff_t step, ptrdiff_t count, ptrdiff_t length, const char* begin,
                                const char* end) {
  if (step < 0) return runs_that_meet(at + (count - 1) * step, -step, count, length, begin, end);
  if (step == 0) return at < end && begin < at + length ? count : 0;
  auto floor_of = [](ptrdiff_t a, ptrdiff_t b) { return a / b - (a % b < 0); };
  ptrdiff_t first = std::max<ptrdiff_t>(floor_of(begin - at - length, step) + 1, 0);
  ptrdiff_t last = std::min(floor_of(end - at - 1, step), count - 1);
  return std::max<ptrdiff_t>(last - first + 1, 0);
}
inline uint32_t blocks_that_write(const Sender& sender, const SentTiles& tiles, const char* begin, const char* end) {
  const dim3& grid = sender.shape.grid;
  ptrdiff_t blocks = 0;
  for (unsigned z = 0; z < grid.z; z++)
    for (unsigned y = 0; y < grid.y; y++)
      blocks += runs_that_meet(tiles.of(0, y, z), tiles.steps[0], grid.x, tiles.length(), begin, end);
  return (uint32_t)blocks;
}

// By the last of the launches that write any of it.
struct Feeder {
  size_t sender;
  FedPart part;
};
inline bool find_feeder(const std::vector<Sender>& held, const Pending& call, const Channel& channel,
                        const Message& send, Feeder& found) {
  const char* begin = channel.windows[send.window].base + send.offset;
  for (size_t i = held.size(); i-- > 0;)
    for (size_t tiles = 0; tiles < held[i].shape.tiles.size() && held[i].stream == call.stream; tiles++) {
      const SentTiles& of = held[i].shape.tiles[tiles];
      uint32_t blocks = blocks_that_write(held[i], of, begin, begin + send.bytes);
      if (blocks == 0) continue;
      bool own = begin >= of.begin && begin + send.bytes <= of.begin + of.filled;
      bool near = !over_network(channel, call.way.reach, send.peer);
      found = {i, {send, begin, blocks, (int16_t)tiles, own && near}};
      return true;
    }
  return false;
}

// What each of the held launches sends; `rest` is what nobody does.
inline std::vector<std::vector<FedPart>> fed_parts(const std::vector<Sender>& held, const Pending& call,
                                                   const Channel& channel, std::vector<Message>& rest) {
  std::vector<std::vector<FedPart>> all(held.size());
  for (const Message& send : call.work.sends) {
    Feeder feeder;
    if (send.bytes > 0 && find_feeder(held, call, channel, send, feeder) && all[feeder.sender].size() < kFedMax)
      all[feeder.sender].push_back(feeder.part);
    else
      rest.push_back(send);
  }
  return all;
}

inline cudaError_t launch_sender(const Sender& sender, const std::vector<FedPart>& parts, const Pending& call,
                                 int phases) {
  Sending sending = {channel_of(call.comm).endpoint,         phases, 0, 0, {}, {}, {},
                     send_counters(call.comm, call.stream)};
  std::vector<FedPart> more_parts;
  std::vector<Message> more_receives;
  for (const FedPart& part : parts) add_item(sending.fed, sending.fed_count, more_parts, part);
  for (size_t i = 0; i < call.work.receives.size() && phases != 0; i++)
    add_item(sending.receives, sending.receive_count, more_receives, call.work.receives[i]);
  std::copy(sender.shape.tiles.begin(), sender.shape.tiles.end(), sending.tiles);
  cudaError_t result = lift_items(sending.fed, more_parts, call.stream);
  if (result == cudaSuccess) result = lift_items(sending.receives, more_receives, call.stream);
  if (result != cudaSuccess) return result;
  sender.launch(&sending);
  result = cudaGetLastError();
  if (result == cudaSuccess) result = drop_items(sending.fed, more_parts, call.stream);
  return result == cudaSuccess ? drop_items(sending.receives, more_receives, call.stream) : result;
}

// The first launch that sends announces what is received, which peers that send wait for; the last one awaits it.
inline cudaError_t launch_senders(const std::vector<Sender>& held, const std::vector<std::vector<FedPart>>& fed,
                                  const Pending& call, bool awaits) {
  auto sends = [](const std::vector<FedPart>& parts) { return !parts.empty(); };
  size_t first = (size_t)(std::find_if(fed.begin(), fed.end(), sends) - fed.begin());
  size_t last = (size_t)(fed.rend() - std::find_if(fed.rbegin(), fed.rend(), sends)) - 1;
  cudaError_t result = cudaSuccess;
  for (size_t i = 0; i < held.size() && result == cudaSuccess; i++) {
    int phases = (i == first ? kAnnounces : 0) | (i == last && awaits ? kAwaits : 0);
    if (fed[i].empty())
      held[i].launch(nullptr);
    else
      result = launch_sender(held[i], fed[i], call, phases);
  }
  return result;
}

// Left to the copy engine: threads of the kernels have better things to do.
inline cudaError_t copy_to_self(const Pending& call) {
  cudaError_t result = cudaSuccess;
  for (const Copy& copy : call.work.copies)
    if (result == cudaSuccess)
      result = cudaMemcpyAsync(copy.to, copy.from, copy.bytes, cudaMemcpyDeviceToDevice, call.stream);
  return result;
}

inline ncclResult_t submit_sending(Pending& call) {
  Channel& channel = channel_of(call.comm);
  const Way& way = call.way;
  std::vector<Sender> held = take_held();
  std::vector<Message> unfed;
  std::vector<std::vector<FedPart>> fed = fed_parts(held, call, channel, unfed);
  bool any = unfed.size() < call.work.sends.size();
  CUCO_JOIN_TARGETS;
  cudaError_t result = launch_senders(held, fed, call, unfed.empty() && !kReadersAwait);
  if (result == cudaSuccess && any) result = copy_to_self(call);
  Piece rest = {kFlushes, unfed, call.work.receives, {}};
  if (!any) rest = call.work;
  rest.phases = (any ? kFlushes : kFlushes | kAnnounces) | (kReadersAwait ? 0 : kAwaits);
  if (result == cudaSuccess && (!any || !unfed.empty()))
    result = run(rest, way.kernel, way.blocks, width_of(rest, way.issue, way.reach), channel, call.stream);
  CUCO_LEAVE_RECEIVES;
  return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
