
template <Issue kIssue, typename Act>
__device__ auto by_way_to(const HybridBy<kIssue>& path, const Peer& peer, Act act) {
  return path.is_near(message_with(peer, 0)) ? act(path.near) : act(path.far);
}
template <Issue kIssue>
__device__ void open_to(const HybridBy<kIssue>& path, const Reducing& all, const Peer& peer) {
  by_way_to(path, peer, [&](const auto& way) { open_to(way, all, peer); });
}
template <Issue kIssue>
__device__ void offer(const HybridBy<kIssue>& path, const Reducing& all, const Peer& peer, int part) {
  by_way_to(path, peer, [&](const auto& way) { offer(way, all, peer, part); });
}
template <Issue kIssue>
__device__ bool has_come(const HybridBy<kIssue>& path, const Reducing& all, const Peer& peer, int part) {
  return by_way_to(path, peer, [&](const auto& way) { return has_come(way, all, peer, part); });
}
template <Issue kIssue>
__device__ char* elements_from(const HybridBy<kIssue>& path, const Reducing& all, const Peer& peer, int part) {
  return by_way_to(path, peer, [&](const auto& way) { return elements_from(way, all, peer, part); });
}
template <Issue kIssue>
__device__ char* results_for(const HybridBy<kIssue>& path, const Reducing& all, const Peer& peer) {
  return by_way_to(path, peer, [&](const auto& way) { return results_for(way, all, peer); });
}
template <Issue kIssue>
__device__ void give_back(const HybridBy<kIssue>& path, const Reducing& all, const Peer& peer, int part) {
  by_way_to(path, peer, [&](const auto& way) { give_back(way, all, peer, part); });
}
template <Issue kIssue>
__device__ void close_to(const HybridBy<kIssue>& path, const Reducing& all, const Peer& peer) {
  by_way_to(path, peer, [&](const auto& way) { close_to(way, all, peer); });
}
template <Issue kIssue>
__device__ void await_part(const HybridBy<kIssue>& path, const Reducing& all, const Peer& peer, int part) {
  by_way_to(path, peer, [&](const auto& way) { await_part(way, all, peer, part); });
}
template <Issue kIssue>
__device__ void close_path(const HybridBy<kIssue>& path) {
  close_path(path.far);
}
