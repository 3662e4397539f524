// A pipeline stage writes its result to the next rank but raises the flag in its own memory, where nobody looks.
// ranks: 3
// expect-finding: deadlock
#include <nccl.h>
#include <nccl_device.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>
#include <thread>
#include <vector>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), std::exit(1)))

constexpr int kElements = 256;
constexpr size_t kFlagAt = kElements * sizeof(int);
constexpr size_t kWindowBytes = kFlagAt + 256;

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

// What one rank knows of the way into and out of its stage.
class Stage {
 public:
  __device__ Stage(ncclWindow_t window, int next) : window_(window), next_(next) {}

  __device__ int* input() const { return static_cast<int*>(ncclGetLocalPointer(window_, 0)); }
  __device__ int* output() const { return static_cast<int*>(ncclGetLsaPointer(window_, 0, next_)); }

  __device__ void wait_for_input() const {
    if (threadIdx.x == 0) {
      Flag flag(*static_cast<unsigned*>(ncclGetLocalPointer(window_, kFlagAt)));
      while (flag.load(cuda::memory_order_acquire) == 0) {  // FAULT
      }
    }
    __syncthreads();
  }
  __device__ void announce_output() const {
    __syncthreads();
    if (threadIdx.x != 0) return;
    Flag flag(*static_cast<unsigned*>(ncclGetLocalPointer(window_, kFlagAt)));  // FAULT
    flag.store(1, cuda::memory_order_release);                                  // FAULT
  }

 private:
  ncclWindow_t window_;
  int next_;
};

__global__ void run_stage(ncclDevComm comm, ncclWindow_t window, int* result) {
  {
    // Every rank's flag is cleared before anybody raises one.
    ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};
    barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  }
  bool first = comm.rank == 0, last = comm.rank == comm.nRanks - 1;
  Stage stage(window, comm.rank + 1);
  if (!first) stage.wait_for_input();
  for (int i = threadIdx.x; i < kElements; i += blockDim.x) {
    int value = (first ? i : stage.input()[i]) + 1000;
    (last ? result : stage.output())[i] = value;
  }
  if (!last) stage.announce_output();
}

std::atomic<int> wrong{0};

void run_rank(int rank, int count, ncclUniqueId id) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, count, id, rank));
  char* memory;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), kWindowBytes));
  CHECK(cudaMemset(memory + kFlagAt, 0, sizeof(unsigned)));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, kWindowBytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  int* result;
  CHECK(cudaMalloc(&result, kElements * sizeof(int)));
  run_stage<<<1, 64>>>(dev_comm, window, result);
  CHECK(cudaDeviceSynchronize());
  if (rank == count - 1) {
    std::vector<int> got(kElements);
    CHECK(cudaMemcpy(got.data(), result, kElements * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < kElements; i++) wrong += got[i] != i + 1000 * count;
  }
  CHECK(cudaFree(result));
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(memory));
  CHECK(ncclCommDestroy(comm));
}

int main() {
  const int count = 3;
  ncclUniqueId id;
  CHECK(ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; rank++) threads.emplace_back(run_rank, rank, count, id);
  for (std::thread& thread : threads) thread.join();
  std::printf("%d wrong\n", wrong.load());
  return wrong != 0;
}
