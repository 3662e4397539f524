// PART moves
// Every exchange runs where its call stands.
inline ncclResult_t submit(Pending& call) {
  void* arguments[] = {&channel_of(call.comm).endpoint, &call.work};
  cudaError_t launched =
      cudaLaunchKernel((const void*)call.way.kernel, call.way.blocks, kThreads, arguments, 0, call.stream);
  return launched == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
// PART reductions
// Every reduction runs where its call stands.
inline ncclResult_t submit(ReduceCall& call) {
  void* arguments[] = {&channel_of(call.comm).endpoint, &call.work};
  cudaError_t launched =
      cudaLaunchKernel((const void*)call.kernel, call.way.blocks, kThreads, arguments, 0, call.stream);
  return launched == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
