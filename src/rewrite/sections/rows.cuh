
// Bytes of a message: `count` pieces of `bytes`, the first at `begin`, a row apart.
struct Rows {
  size_t begin, bytes, pitch;
  size_t count;
};
// A message that the units do not divide leaves with its last part.
__device__ inline Rows rows_of(const Share& share, size_t bytes) {
  size_t row_bytes = share.piece_bytes > 0 ? share.piece_bytes * share.units : bytes;
  if (bytes == 0 || bytes % row_bytes != 0 || bytes % share.units != 0)
    return {0, share.is_last ? bytes : 0, bytes, 1};
  size_t unit_bytes = row_bytes / share.units;
  return {share.begin * unit_bytes, (share.end - share.begin) * unit_bytes, row_bytes, bytes / row_bytes};
}
__device__ inline Message part_of(Message message, int part) {
  message.number += part;
  return message;
}
CUCO_PATHS
// What one part of an exchange moves for this rank.
template <typename Path>
__device__ void exchange_part(const Endpoint& here, const Exchange& work) {
  Path path(here);
  int receive_count = blockIdx.x == 0 ? work.receive_count : 0;
  for (int i = threadIdx.x; i < receive_count; i += blockDim.x) path.announce(part_of(work.receives[i], work.part));
  for (int i = 0; i < work.copy_count; i++)
    copy_rows(work.copies[i].to, work.copies[i].from, rows_of(work.share, work.copies[i].bytes));
  for (int i = 0; i < work.send_count; i++)
    send_rows(path, part_of(work.sends[i], work.part), rows_of(work.share, work.sends[i].bytes));
  for (int i = threadIdx.x; i < receive_count; i += blockDim.x) path.await(part_of(work.receives[i], work.part));
  path.finish();
}
