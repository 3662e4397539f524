// PART moves
// Every exchange runs where its call stands.
inline ncclResult_t submit(Pending& call) {
  cudaError_t result =
      run(call.work, call.way.kernel, call.way.blocks, width_of(call.work, call.way.issue, call.way.reach), channel_of(call.comm), call.stream);
  return result == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
// PART reductions
// Every reduction runs where its call stands.
inline ncclResult_t submit(ReduceCall& call) {
  return run(call, threads_for(call, kThreads), call.stream) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
