
// Which rank's part comes first in a loop over all ranks: the next rank's and this one's last, or this one's first.
enum class Order { RemoteFirst, LocalFirst };

// The rank that a loop over `count` ranks visits at `turn`. A loop over another number of things keeps its order, and so
// does one for which this device's communicators name different ranks.
template <typename T, typename Count>
T peer_at(T turn, Count count, Order order) {
  int rank = -1, device = current_device();
  std::lock_guard<std::mutex> lock(state().mutex);
  for (const auto& entry : state().channels) {
    const Channel& channel = entry.second;
    if (channel.device != device || channel.ranks != (int)count) continue;
    if (rank >= 0 && rank != channel.rank) return turn;
    rank = channel.rank;
  }
  return rank < 0 ? turn : (T)((rank + (order == Order::RemoteFirst) + (int)turn) % (int)count);
}
