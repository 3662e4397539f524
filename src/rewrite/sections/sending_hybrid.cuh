
template <Issue kIssue>
__device__ void store_own(const HybridBy<kIssue>& path, const FedPart& part, const SentTiles& tiles,
                          const uint3& block) {
  store_own(path.near, part, tiles, block);
}
template <Issue kIssue>
__device__ void send_fed(const HybridBy<kIssue>& path, const FedPart& part) {
  if (path.is_near(part.message))
    send_fed(path.near, part);
  else
    send_fed(path.far, part);
}
template <Issue kIssue>
__device__ void flush_sent(const HybridBy<kIssue>& path) {
  flush_sent(path.far);
}
