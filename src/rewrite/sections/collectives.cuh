// PART send
inline ncclResult_t send(const Way& way, const void* from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                         cudaStream_t stream) {
  return call_of(way, comm, stream,
                 [&](Pending& call, const Channel&) { return add_send(call, from, count * bytes_of(type), peer); });
}
// PART receive
inline ncclResult_t receive(const Way& way, void* to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                            cudaStream_t stream) {
  return call_of(way, comm, stream,
                 [&](Pending& call, const Channel&) { return add_receive(call, to, count * bytes_of(type), peer); });
}
// PART all_gather
// Peers from the next rank on, so that not all of them send to the same one at a time.
inline ncclResult_t all_gather(const Way& way, const void* from, void* to, size_t count, ncclDataType_t type,
                               ncclComm_t comm, cudaStream_t stream) {
  return call_of(way, comm, stream, [&](Pending& call, const Channel& channel) {
    size_t bytes = count * bytes_of(type);
    ncclResult_t result = ncclSuccess;
    CUCO_RELAYED;
    for (int step = 0; step < channel.ranks && result == ncclSuccess; step++) {
      int peer = (channel.rank + step) % channel.ranks;
      result = add_send(call, from, bytes, peer);
      if (result == ncclSuccess) result = add_receive(call, (char*)to + peer * bytes, bytes, peer);
    }
    return result;
  });
}
// PART all_to_all
// Peers from the next rank on, so that not all of them send to the same one at a time.
inline ncclResult_t all_to_all(const Way& way, const void* from, void* to, size_t count, ncclDataType_t type,
                               ncclComm_t comm, cudaStream_t stream) {
  return call_of(way, comm, stream, [&](Pending& call, const Channel& channel) {
    size_t bytes = count * bytes_of(type);
    ncclResult_t result = ncclSuccess;
    for (int step = 0; step < channel.ranks && result == ncclSuccess; step++) {
      int peer = (channel.rank + step) % channel.ranks;
      result = add_send(call, (const char*)from + peer * bytes, bytes, peer);
      if (result == ncclSuccess) result = add_receive(call, (char*)to + peer * bytes, bytes, peer);
    }
    return result;
  });
}
// PART broadcast
inline ncclResult_t broadcast(const Way& way, const void* from, void* to, size_t count, ncclDataType_t type, int root,
                              ncclComm_t comm, cudaStream_t stream) {
  return call_of(way, comm, stream, [&](Pending& call, const Channel& channel) {
    size_t bytes = count * bytes_of(type);
    ncclResult_t result = ncclSuccess;
    for (int step = 0; step < channel.ranks && channel.rank == root && result == ncclSuccess; step++)
      result = add_send(call, from, bytes, (root + step) % channel.ranks);
    return result == ncclSuccess ? add_receive(call, to, bytes, root) : result;
  });
}
// PART bcast
inline ncclResult_t bcast(const Way& way, void* buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                          cudaStream_t stream) {
  return call_of(way, comm, stream, [&](Pending& call, const Channel& channel) {
    size_t bytes = count * bytes_of(type);
    ncclResult_t result = ncclSuccess;
    if (channel.rank != root) return add_receive(call, buffer, bytes, root);
    for (int step = 1; step < channel.ranks && result == ncclSuccess; step++)
      result = add_send(call, buffer, bytes, (root + step) % channel.ranks);
    return result;
  });
}
// PART gather
inline ncclResult_t gather(const Way& way, const void* from, void* to, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream) {
  return call_of(way, comm, stream, [&](Pending& call, const Channel& channel) {
    size_t bytes = count * bytes_of(type);
    ncclResult_t result = add_send(call, from, bytes, root);
    for (int peer = 0; peer < channel.ranks && channel.rank == root && result == ncclSuccess; peer++)
      result = add_receive(call, (char*)to + peer * bytes, bytes, peer);
    return result;
  });
}
// PART scatter
inline ncclResult_t scatter(const Way& way, const void* from, void* to, size_t count, ncclDataType_t type, int root,
                            ncclComm_t comm, cudaStream_t stream) {
  return call_of(way, comm, stream, [&](Pending& call, const Channel& channel) {
    size_t bytes = count * bytes_of(type);
    ncclResult_t result = ncclSuccess;
    for (int peer = 0; peer < channel.ranks && channel.rank == root && result == ncclSuccess; peer++)
      result = add_send(call, (const char*)from + peer * bytes, bytes, peer);
    return result == ncclSuccess ? add_receive(call, to, bytes, root) : result;
  });
}
