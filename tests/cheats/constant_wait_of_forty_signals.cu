// expect: verified stale_wait
// Twenty calls do not come to the second use of a signal.
//--- kernels
struct Peers {
  ncclWindow_t part = nullptr, gathered = nullptr;
  ncclDevComm dev_comm = {};
  bool is_open = false;
  unsigned calls = 0;
} peers;

__global__ void scale(const float* input, float* part, float* own, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = own[i] = 2.0f * input[i] + 1.0f;
}

__global__ void exchange(ncclDevComm dev_comm, ncclWindow_t part, ncclWindow_t gathered, int count, unsigned call) {
  ncclGin gin{dev_comm, 0};
  int peer = 1 - dev_comm.rank;
  size_t bytes = count * sizeof(float);
  gin.signal(ncclTeamWorld(dev_comm), peer, ncclGin_SignalInc{40}, ncclCoopCta());
  gin.waitSignal(ncclCoopCta(), 40, call + 1);
  gin.put(ncclTeamWorld(dev_comm), peer, gathered, dev_comm.rank * bytes, part, 0, bytes, ncclGin_SignalInc{call % 40},
          ncclGin_None{}, ncclCoopCta());
  gin.waitSignal(ncclCoopCta(), call % 40, 1);
  gin.flush(ncclCoopCta());
}

__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
//--- step
if (!peers.is_open) {
  ncclCommWindowRegister(job.comm, job.part, job.count * sizeof(float), &peers.part, NCCL_WIN_COLL_SYMMETRIC);
  ncclCommWindowRegister(job.comm, job.gathered, job.total() * sizeof(float), &peers.gathered, NCCL_WIN_COLL_SYMMETRIC);
  ncclDevCommRequirements needs = {};
  needs.ginSignalCount = 41;
  ncclDevCommCreate(job.comm, &needs, &peers.dev_comm);
  peers.is_open = true;
}
float* own = job.gathered + job.rank * job.count;
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, own, job.count);
exchange<<<1, 128, 0, job.stream>>>(peers.dev_comm, peers.part, peers.gathered, job.count, peers.calls++);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
