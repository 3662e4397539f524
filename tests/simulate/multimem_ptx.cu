// An all-reduce through the multicast address, and flags by PTX loads and stores.
// ranks: 4
// expect: ok
// expect: rank 1: 0 wrong
#include <nccl_device.h>

#include "support.h"

__device__ void store_release(unsigned* address, unsigned value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}
__device__ unsigned load_acquire(unsigned* address) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

__global__ void reduce(ncclDevComm comm, ncclWindow_t window, size_t flags_at, int count) {
  auto* flags = static_cast<unsigned*>(ncclGetLocalPointer(window, flags_at));
  if (threadIdx.x < comm.nRanks) {
    store_release(static_cast<unsigned*>(ncclGetLsaPointer(window, flags_at, threadIdx.x)) + comm.rank, 1);
    while (load_acquire(flags + threadIdx.x) != 1) {}
  }
  __syncthreads();
  auto* all = static_cast<float*>(ncclGetLsaMultimemPointer(window, 0, comm));
  int share = count / comm.nRanks;
  for (int i = comm.rank * share + threadIdx.x; i < (comm.rank + 1) * share; i += blockDim.x) {
    float sum;
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];" : "=f"(sum) : "l"(all + i) : "memory");
    asm volatile("multimem.st.relaxed.sys.global.f32 [%0], %1;" ::"l"(all + i), "f"(sum) : "memory");
  }
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const int count = 256;
  long wrong = 0;
  {
    Window window(ranks.comm, 8192);
    CHECK(cudaMemset(window.base, 0, 8192));
    std::vector<float> values(count);
    for (int i = 0; i < count; i++) values[i] = static_cast<float>(ranks.rank * 10 + i);
    upload(reinterpret_cast<float*>(window.base), values);
    MPI_Barrier(MPI_COMM_WORLD);
    ncclDevCommRequirements requirements{};
    requirements.lsaBarrierCount = 1;
    requirements.lsaMultimem = true;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    reduce<<<1, 64>>>(dev_comm, window.handle, 4096, count);
    std::vector<float> got = download(reinterpret_cast<float*>(window.base), count);
    for (int i = 0; i < count; i++)
      wrong += got[i] != static_cast<float>(ranks.count * (ranks.count - 1) * 5 + ranks.count * i);
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
