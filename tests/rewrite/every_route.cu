// Every function of the communication library's sites, options and kernels once; compiled, not run.
#include <cuco/comm.cuh>

using namespace cuco::comm;

__global__ void fused_kernel(FusedSend fused) {
  uint3 block = begin_fused<Hybrid>(fused);
  end_fused<Hybrid>(fused, block);
}
__global__ void fused_sum(FusedReduce fused) {
  uint3 block = begin_reducing(fused);
  end_reducing<Gin, float, Sum>(fused, block);
}
__global__ void sending_kernel(BlockWaits waits, FusedMessages fused) {
  begin_sending<Lsa>(fused);
  uint3 block = wait_for_inputs<Lsa>(waits);
  end_sending<Lsa>(fused, block);
}
__global__ void specialised_kernel(Specialised fused) {
  const unsigned place = begin_specialised(fused);
  if (place < fused.communicators) return communicate<Hybrid>(fused, place);
  Tile tile = {};
  while (take_tile(fused, tile)) {
  }
}

constexpr Options options =
    Options().slots(64).signals(1).barriers(1).contexts(2).scratch(64).exact_receives().strong_signals();

int main() {
  open_all<Lsa, Gin, Hybrid>(options.overlap(1, Priority::High).blocks_wait());
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
  float* data = nullptr;
  group_start();
  send(gin<1>.by_warp().split(0).by_message().in_chunks(64, Cut::SmallAtEnds), data, 4, ncclFloat, 0, comm, stream);
  receive(hybrid<2>.sent_by_writers(64).awaited_by_readers(), data, 4, ncclFloat, 0, comm, stream);
  group_end();
  all_gather(hybrid<3>.fused(4, 64), data, data, 4, ncclFloat, comm, stream);
  all_to_all(gin<4>.in_parts(4), data, data, 4, ncclFloat, comm, stream);
  broadcast(lsa<5>.by_thread().tracked(), data, data, 4, ncclFloat, 0, comm, stream);
  gather(lsa<6>.blocks(4).specialised(8), data, data, 4, ncclFloat, 0, comm, stream);
  scatter(lsa<7>.sent_by_writers(64), data, data, 4, ncclFloat, 0, comm, stream);
  all_reduce(lsa<8>.sum<float, __half>().on_stream(0), data, data, 4, ncclFloat, ncclSum, comm, stream);
  reduce_scatter(hybrid<9>.max<float>().in_parts(2), data, data, 4, ncclFloat, ncclMax, comm, stream);
  reduce(gin<10>.average<float>().fused(3, 4, 5, 6), data, data, 4, ncclFloat, ncclAvg, 0, comm, stream);
  launch_fused(Shape().on_grid(4, 1, 1).message(64).in_tiles(Tiles().step(16, 0, 0).piece(16)), 4, 32, stream,
               pointers_of(data), [](const FusedSend*) {});
  launch_sending({Shape().writes(data, Tiles().step(16, 0, 0).piece(16), 64)}, 4, 32, stream, [](const FusedMessages*) {});
  launch_sending({Shape().when(false)}, 4, 32, stream, [](const FusedMessages&) {});
  launch_in_slices({Shape().reads(data).writes(data, Span().step(16).length(16))}, 4, 32, stream, [](const Slice&) {});
  before_blocks(stream, {reads(data)}, 4, 32, {Shape().reads(data, Span().step(16).length(16))});
  for (const Slice& slice : Slices(4, 0, 4, 32, stream, Shape().message(64))) (void)slice;
  for (int rank : ranks_in_order<int>(4, Order::RemoteFirst)) (void)rank;
}
