// expect: verified window_race
// Nobody waits until the peers have read its part.
//--- kernels
struct Peers {
  ncclWindow_t window = nullptr;
  ncclDevComm dev_comm = {};
  bool is_open = false;
} peers;

__global__ void scale_and_gather(ncclDevComm dev_comm, ncclWindow_t window, const float* input, float* part,
                                 float* gathered, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) part[i] = 2.0f * input[i] + 1.0f;
  ncclLsaBarrierSession<ncclCoopCta> barrier(ncclCoopCta(), dev_comm, ncclTeamTagLsa(), 0);
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  for (int peer = 0; peer < dev_comm.nRanks; peer++) {
    const float* theirs = static_cast<const float*>(ncclGetLsaPointer(window, 0, peer));
    for (int i = threadIdx.x; i < count; i += blockDim.x) gathered[peer * count + i] = theirs[i];
  }
}

__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
//--- step
if (!peers.is_open) {
  ncclCommWindowRegister(job.comm, job.part, job.count * sizeof(float), &peers.window, NCCL_WIN_COLL_SYMMETRIC);
  ncclDevCommRequirements needs = {};
  needs.lsaBarrierCount = 1;
  ncclDevCommCreate(job.comm, &needs, &peers.dev_comm);
  peers.is_open = true;
}
scale_and_gather<<<1, 128, 0, job.stream>>>(peers.dev_comm, peers.window, job.input, job.part, job.gathered, job.count);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
