
// Kernels that reduce what they write. As with other fused kernels a launch is held back until the call. The last block
// of a part lets those know who reduce it: near ranks may load it from here, to others its elements are sent. What has
// come from all ranks is reduced in items, in the order of ranks, by whichever block is done with its own work; blocks
// that find nothing to do leave, and a few that no other waits for stay to the end. All ranks cut alike: the call says
// how at the traced size, and where its launch was not the traced one a kernel of its own does the same; at other sizes
// the launch says it.

// What a kernel gets to reduce what it writes. Of messages with a near peer, whose sender is who loads, number k is
// part k and the last is where results go; over the network, part k has number k, and its results follow all parts.
struct Reducing : FusedGrid {
  Endpoint here;
  Reduction work;         // Of everything.
  uint32_t pitch, piece;  // Elements of a row, and of the piece that a unit owns in it.
  size_t rows, element_bytes;
  size_t staged;      // Elements from one rank's staged ones to those of the next.
  unsigned items;     // That this rank's run of a part is reduced in; 0: it reduces nothing.
  unsigned staying;   // Blocks that may wait for others.
  bool near_results;  // Some peer's results are stored from here.
  bool is_written;    // By launches before this one.
  FusedCounters* counters;
};

// For a call that reduces elements of the type.
template <typename Launch>
void hold_reduced(ncclDataType_t type, const FusedShape& shape, dim3 grid, dim3 block, cudaStream_t stream,
                  std::vector<const void*> pointers, Launch launch) {
  auto with_reduction = [launch](const FusedGrid* fused) { launch(static_cast<const Reducing*>(fused)); };
  hold({with_reduction, shape, stream, std::move(pointers), type}, grid, block);
}
