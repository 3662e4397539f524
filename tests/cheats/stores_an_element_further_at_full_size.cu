// expect: timed wrong_result
// Ranks store their scaled parts where their peers gather them, at full size an element further.
// full size: count=2048
//--- kernels
struct Peers {
  ncclWindow_t window = nullptr;
  ncclDevComm dev_comm = {};
  bool is_open = false;
} peers;

__global__ void scale_to_all(ncclDevComm dev_comm, ncclWindow_t gathered, const float* input, int count) {
  ncclLsaBarrierSession<ncclCoopCta> barrier(ncclCoopCta(), dev_comm, ncclTeamTagLsa(), 0);
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  for (int peer = 0; peer < dev_comm.nRanks; peer++) {
    float* there = static_cast<float*>(ncclGetLsaPointer(gathered, 0, peer)) + dev_comm.rank * count;
    for (int i = threadIdx.x; i < count; i += blockDim.x) there[count > 1024 ? (i + 1) % count : i] = 2.0f * input[i] + 1.0f;
  }
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
//--- step
if (!peers.is_open) {
  ncclCommWindowRegister(job.comm, job.gathered, job.total() * sizeof(float), &peers.window, NCCL_WIN_COLL_SYMMETRIC);
  ncclDevCommRequirements needs = {};
  needs.lsaBarrierCount = 1;
  ncclDevCommCreate(job.comm, &needs, &peers.dev_comm);
  peers.is_open = true;
}
scale_to_all<<<1, 128, 0, job.stream>>>(peers.dev_comm, peers.window, job.input, job.count);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
