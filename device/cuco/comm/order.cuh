// The order in which a loop over ranks visits them.
#pragma once

#include <cuco/comm/communicator.cuh>

namespace cuco::comm {

// Which rank's part comes first in a loop over all ranks: the next rank's and this one's last, or this one's first.
enum class Order { RemoteFirst, LocalFirst };

// This device's rank in a communicator of so many ranks; -1 when there is none, or several name different ranks.
inline int rank_among(int count) {
  int rank = -1, device = current_device();
  std::lock_guard<std::mutex> lock(state().mutex);
  for (const auto& entry : state().channels) {
    const Channel& channel = entry.second;
    if (channel.device != device || channel.ranks != count) continue;
    if (rank >= 0 && rank != channel.rank) return -1;
    rank = channel.rank;
  }
  return rank;
}

// 0 to count - 1 in the order in which a loop over ranks visits them; as they are where the rank is not known.
template <typename T>
std::vector<T> ranks_in_order(T count, Order order) {
  int rank = rank_among((int)count);
  int first = rank < 0 ? 0 : order == Order::RemoteFirst ? rank + 1 : rank;
  std::vector<T> ranks;
  for (int turn = 0; turn < (int)count; turn++) ranks.push_back((T)((first + turn) % (int)count));
  return ranks;
}

}  // namespace cuco::comm
