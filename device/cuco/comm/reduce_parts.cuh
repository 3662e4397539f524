// Reductions in parts: as many as slices of the launch before, each reduced when its slice is done. The input is rows
// of `pitch` bytes in which unit i of the grid owns the i-th piece. Pieces of several rows are loaded from where they
// are; over the network they are put together by the copy engine, reduced as one, and laid out in the output. All ranks
// cut alike.
#pragma once

#include <cuco/comm/parts.cuh>
#include <cuco/comm/reduce.cuh>

namespace cuco::comm {

struct CutRows {
  size_t pitch = 0, piece_bytes = 0, count = 0;
};

// Of one message; none where the launch before was not cut for this call, or not in shares of its messages.
inline CutRows rows_of(const ReduceCall& call) {
  const SliceStreams& slices = slice_streams();
  const Parts& parts = call.route.parts;
  if (slices.count != parts.count || slices.home != call.stream) return {};
  size_t message = call.work.root == kEveryoneSlice ? call.output_bytes : call.input_bytes;
  if (!are_cut(call.input_bytes)) return {};
  size_t pitch = parts.piece_bytes == 0 ? message : parts.piece_bytes * slices.units;
  size_t piece = pitch / slices.units;
  bool fits = pitch % slices.units == 0 && piece % call.element_bytes == 0 && message % pitch == 0 &&
              call.input_bytes <= UINT32_MAX;
  return fits ? CutRows{pitch, piece, call.input_bytes / pitch} : CutRows{};
}

struct ReducedPart {
  ReduceCall call;  // Of this part alone.
  const CutRows& rows;
  int part;
  size_t column, width;                          // In bytes of every row.
  char *gathered = nullptr, *reduced = nullptr;  // Where the pieces of rows are put together; of one row, nowhere.
  cudaError_t result = cudaSuccess;

  ReducedPart(const ReduceCall& all, const CutRows& of, int index) : call(all), rows(of), part(index) {
    const SliceStreams& slices = slice_streams();
    column = slices.cuts[part] * rows.piece_bytes;
    width = (slices.cuts[part + 1] - slices.cuts[part]) * rows.piece_bytes;
    call.work.count = rows.count * width / call.element_bytes;
    call.work.slice = slice_in(call.work.root, call.work.count, call.work.ranks);
    call.work.input += column, call.work.output += column;
    if (!loads_pieces()) return;
    call.work.width = (uint32_t)(width / call.element_bytes),
    call.work.pitch = (uint32_t)(rows.pitch / call.element_bytes);
  }
  bool loads_pieces() const { return rows.count > 1 && call.route.via == Via::Lsa; }
  bool packs_pieces() const { return rows.count > 1 && !loads_pieces(); }
  size_t staging_bytes() const { return call.work.slice * call.element_bytes * call.work.ranks; }
  size_t output_rows() const { return call.output_bytes / rows.pitch; }

  void put_together(const OwnWindow& packing, size_t offset) {
    gathered = packing.base + offset, reduced = gathered + packing.bytes / 2;
    call.work.input = place_at(packing.window, offset);
    call.work.output = place_at(packing.window, offset + packing.bytes / 2);
  }
  void copy(char* to, size_t to_pitch, const char* from, size_t from_pitch, size_t row_count) {
    if (result == cudaSuccess && row_count > 0)
      result = cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, row_count, cudaMemcpyDeviceToDevice,
                                 slice_streams().streams[part]);
  }
  void run_phases(int phases, unsigned threads, cudaStream_t stream) {
    call.work.phases = phases;
    if (result == cudaSuccess) result = comm::run(call, threads, stream);
  }

  // What others write here is awaited before it is laid out; else only before the stream of the call goes on. The last
  // part is awaited where it is reduced: there is no other that it could keep from leaving.
  cudaError_t run(Channel& channel, bool is_last) {
    SliceStreams& slices = slice_streams();
    call.peers = number_messages(channel, call.route.via, call.work);
    if (gathered != nullptr) copy(gathered, width, (const char*)call.input + column, rows.pitch, rows.count);
    follow(slices.parts, slices.done[part], slices.streams[part]);
    run_phases(is_last ? kAllPhases : kAnnounces, threads_for(call, kThreads / 2), slices.parts);
    follow(slices.arrivals, slices.posted[part], slices.parts);
    call.route.blocks = 1;
    if (!is_last) run_phases(kAwaits | kFlushes, threads_of(Issue::Warp), slices.arrivals);
    cudaEventRecord(slices.arrived[part], slices.arrivals);
    bool others_write = call.work.root == kEveryoneAll;
    cudaStreamWaitEvent(slices.streams[part], others_write ? slices.arrived[part] : slices.posted[part], 0);
    if (reduced != nullptr) copy((char*)call.output + column, rows.pitch, reduced, width, output_rows());
    return result;
  }
};

// The parts that have bytes, each with its own memory.
inline ncclResult_t parts_of(const ReduceCall& call, const CutRows& rows, std::vector<ReducedPart>& parts) {
  constexpr size_t kGrain = 256;
  Channel& channel = channel_of(call.comm);
  size_t packed = 0, staged = 0;
  auto padded = [](size_t bytes) { return (bytes + kGrain - 1) / kGrain * kGrain; };
  for (int part = 0; part < call.route.parts.count; part++) {
    ReducedPart one(call, rows, part);
    if (one.width == 0) continue;
    one.call.work.staging = staged;
    packed += padded(rows.count * one.width), staged += padded(one.staging_bytes());
    parts.push_back(std::move(one));
  }
  bool near = call.route.via == Via::Lsa;
  ncclResult_t result = grow(channel, &Channel::packing, rows.count == 1 || near ? 0 : 2 * packed);
  if (result == ncclSuccess) result = grow(channel, &Channel::staging, near ? 0 : staged);
  size_t offset = 0;
  for (ReducedPart& one : parts) {
    if (one.packs_pieces() && result == ncclSuccess) one.put_together(channel.packing, offset);
    offset += padded(rows.count * one.width);
    one.call.work.staging += place_at(channel.staging.window, 0);
  }
  return result;
}

// Behind all that is under way.
inline ncclResult_t reduce_at_once(ReduceCall& call) {
  if (hooks().wait_for_transfers != nullptr) hooks().wait_for_transfers(call.stream);
  ncclResult_t result = reduce_at_call(call);
  if (hooks().untracked != nullptr) hooks().untracked();
  return result;
}

// Part k waits for slice k alone, and the stream of the call for all parts.
struct ReducePartsRoute {
  static ncclResult_t submit(ReduceCall& call) {
    CutRows rows = rows_of(call);
    SliceStreams& slices = slice_streams();
    slices.count = 0;
    if (rows.count == 0) return reduce_at_once(call);
    Channel& channel = channel_of(call.comm);
    std::vector<ReducedPart> parts;
    ncclResult_t prepared = parts_of(call, rows, parts);
    if (prepared != ncclSuccess) return prepared;
    if (hooks().wait_for_transfers != nullptr) hooks().wait_for_transfers(slices.parts);
    cudaError_t result = cudaSuccess;
    for (ReducedPart& part : parts)
      if (result == cudaSuccess) result = part.run(channel, &part == &parts.back());
    join_parts(call.stream, call.route.parts.count);
    if (hooks().untracked != nullptr) hooks().untracked();
    return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
  }
};

}  // namespace cuco::comm
