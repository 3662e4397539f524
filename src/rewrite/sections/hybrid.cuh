
// Load and store inside the node, the network between nodes. The host numbers the two kinds of messages apart.
template <Issue kIssue>
struct HybridBy {
  LsaBy<kIssue> near;
  GinBy<kIssue> far;
  __device__ explicit HybridBy(const Endpoint& endpoint) : near(endpoint), far(endpoint) {}

  __device__ bool is_near(const Message& message) const {
    return ncclTeamRankIsMember(ncclTeamLsa(near.here.comm), ncclTeamWorld(near.here.comm), message.peer);
  }
  __device__ void announce(const Message& message) const {
    if (is_near(message))
      near.announce(message);
    else
      far.announce(message);
  }
  __device__ void send(const Message& message) const {
    if (is_near(message))
      near.send(message);
    else
      far.send(message);
  }
  __device__ void await(const Message& message) const {
    if (is_near(message))
      near.await(message);
    else
      far.await(message);
  }
  __device__ void finish() const { far.finish(); }
};
using Hybrid = HybridBy<Issue::Block>;
