
// Without room for one block that computes the launch runs as written.
inline ncclResult_t submit_specialised(Pending& call) {
  if (residents().room <= call.way.blocks) release_held();
  residents().communicators = call.way.blocks;
  return submit_fused(call);
}
