
// What a kernel gets to do an exchange. Part k of a message has the message's number + k.
struct Fusing : FusedGrid {
  Endpoint here;
  int send_count, receive_count, relay_count;
  Message sends[kMessages], receives[kMessages];
  Relay relays[kFusedRelays];
  unsigned relay_shares;  // Of each part that is sent on: as many as blocks may be there to do it.
  Copy own;               // Of this rank's own bytes, stored as for a near peer; no bytes: it is left to others.
  size_t piece_bytes;
  Tiles tiles;
  FusedCounters* counters;
};

// For a call that moves bytes.
template <typename Launch>
void hold(const FusedShape& shape, dim3 grid, dim3 block, cudaStream_t stream, std::vector<const void*> pointers,
          Launch launch) {
  auto with_exchange = [launch](const FusedGrid* fused) { launch(static_cast<const Fusing*>(fused)); };
  hold({with_exchange, shape, stream, std::move(pointers)}, grid, block);
}
