// PART copy
// By all threads of a block: its share of the rows, or of the one row.
__device__ inline void copy_rows(char* to, const char* from, const Rows& rows) {
  Part lines = part_of_block(rows.count, 1), bytes = {0, rows.bytes};
  if (rows.count == 1) lines = {0, 1}, bytes = part_of_block(rows.bytes, 16);
  for (size_t line = lines.begin; line < lines.end; line++) {
    size_t at = rows.begin + line * rows.pitch + bytes.begin;
    copy_bytes(to + at, from + at, bytes.end - bytes.begin);
  }
}
// PART lsa
__device__ inline void send_rows(const Lsa& path, const Message& message, const Rows& rows) {
  __shared__ uint64_t place;
  if (threadIdx.x == 0) place = path.await_announcement(message);
  __syncthreads();
  copy_rows(peer_pointer(path.here, place, message.peer),
            local_pointer(path.here, place_at(message.window, message.offset)), rows);
  __syncthreads();
  if (threadIdx.x == 0) path.deliver(message);
}
// PART gin
// A put for every row, by one thread; the signal that follows them covers them all.
__device__ inline void send_rows(const Gin& path, const Message& message, const Rows& rows) {
  if (threadIdx.x != 0) return;
  uint64_t place = path.await_announcement(message);
  Part lines = part_of_block(rows.count, 1), bytes = {0, rows.bytes};
  if (rows.count == 1) lines = {0, 1}, bytes = part_of_block(rows.bytes, 16);
  for (size_t line = lines.begin; line < lines.end && bytes.begin < bytes.end; line++) {
    size_t at = rows.begin + line * rows.pitch + bytes.begin;
    path.net.put(path.world, message.peer, window_of(path.here, place), offset_of(place) + at,
                 path.here.windows[message.window], message.offset + at, bytes.end - bytes.begin);
  }
  path.net.signal(path.world, message.peer,
                  CoveringSignalAdd{Gin::signal_of(path.here.comm.rank, message.number, 1),
                                    (uint64_t)(kBlocks / gridDim.x)});
}
// PART hybrid
__device__ inline void send_rows(const Hybrid& path, const Message& message, const Rows& rows) {
  if (path.is_near(message))
    send_rows(path.near, message, rows);
  else
    send_rows(path.far, message, rows);
}
