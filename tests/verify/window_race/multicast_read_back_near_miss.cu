// Every rank stores its part through the multicast address and meets the others before it reads.
// ranks: 3
// expect: no findings
#include <nccl_device.h>

#include "../threads.h"

constexpr int kPart = 64;

__global__ void gather(ncclDevComm comm, ncclWindow_t window, float* out) {
  auto* all = static_cast<float*>(ncclGetLsaMultimemPointer(window, 0, comm));
  float value = static_cast<float>(comm.rank * kPart + threadIdx.x);
  float* place = all + comm.rank * kPart + threadIdx.x;
  asm volatile("multimem.st.relaxed.sys.global.f32 [%0], %1;" ::"l"(place), "f"(value) : "memory");
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  auto* own = static_cast<float*>(ncclGetLocalPointer(window, 0));
  for (int i = threadIdx.x; i < comm.nRanks * kPart; i += blockDim.x) out[i] = own[i];
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

int run_rank(const Member& self) {
  const int count = self.count * kPart;
  char* memory;
  ncclWindow_t window;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), count * sizeof(float)));
  CHECK(cudaMemset(memory, 0, count * sizeof(float)));
  CHECK(cudaDeviceSynchronize());
  CHECK(ncclCommWindowRegister(self.comm, memory, count * sizeof(float), &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 1;
  requirements.lsaMultimem = true;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(self.comm, &requirements, &dev_comm));
  float* out;
  CHECK(cudaMalloc(&out, count * sizeof(float)));
  gather<<<1, kPart>>>(dev_comm, window, out);
  std::vector<float> got(count);
  CHECK(cudaMemcpy(got.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < count; i++) wrong += got[i] != static_cast<float>(i);
  CHECK(cudaFree(out));
  CHECK(ncclDevCommDestroy(self.comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(self.comm, window));
  CHECK(ncclMemFree(memory));
  return wrong;
}

int main() { return run_as_threads(3, run_rank); }
