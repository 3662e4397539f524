
template <Issue kIssue>
__device__ void send_part(const HybridBy<kIssue>& path, const Fusing& fusing, const Message& message, int part) {
  if (path.is_near(message))
    send_part(path.near, fusing, message, part);
  else
    send_part(path.far, fusing, message, part);
}
template <Issue kIssue>
__device__ void end_path(const HybridBy<kIssue>& path) {
  end_path(path.far);
}
