// PART all_reduce
inline ncclResult_t all_reduce(const ReduceWay& way, const void* from, void* to, size_t count, ncclDataType_t type,
                               ncclRedOp_t, ncclComm_t comm, cudaStream_t stream) {
  // Slices begin at multiples of 16 elements, so that copies stay wide.
  size_t ranks = channel_of(comm).ranks, slice = ((count + ranks - 1) / ranks + 15) / 16 * 16;
  return reduce_call(way, from, to, count, slice, kEveryoneAll, type, comm, stream);
}
// PART reduce_scatter
inline ncclResult_t reduce_scatter(const ReduceWay& way, const void* from, void* to, size_t count, ncclDataType_t type,
                                   ncclRedOp_t, ncclComm_t comm, cudaStream_t stream) {
  return reduce_call(way, from, to, count * channel_of(comm).ranks, count, kEveryoneSlice, type, comm, stream);
}
// PART reduce
inline ncclResult_t reduce(const ReduceWay& way, const void* from, void* to, size_t count, ncclDataType_t type,
                           ncclRedOp_t, int root, ncclComm_t comm, cudaStream_t stream) {
  return reduce_call(way, from, to, count, count, root, type, comm, stream);
}
