// All-reduce over loads and stores, with one host thread a rank instead of MPI.
// ranks: 4
// expect: ok
// expect: 4 ranks, 0 wrong
#include <nccl.h>
#include <nccl_device.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), std::exit(1)))

template <typename T>
__global__ void __launch_bounds__(256) all_reduce(ncclDevComm comm, ncclSymPtr<T> in, ncclSymPtr<T> out, size_t count) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x};
  barrier.sync(ncclCoopCta(), cuda::memory_order_relaxed);
  size_t first = threadIdx.x + blockDim.x * (comm.rank + blockIdx.x * comm.nRanks);
  for (size_t i = first; i < count; i += blockDim.x * gridDim.x * comm.nRanks) {
    T sum = 0;
    for (int peer = 0; peer < comm.nRanks; peer++) sum += in.lsaPtr(peer)[i];
    for (int peer = 0; peer < comm.nRanks; peer++) out.lsaPtr(peer)[i] = sum;
  }
  barrier.sync(ncclCoopCta(), cuda::memory_order_release);
}

std::atomic<long> wrong{0};

void run_rank(int rank, int count, ncclUniqueId id) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, count, id, rank));
  const size_t elements = 1000;
  float* memory;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&memory), 2 * elements * sizeof(float)));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(comm, memory, 2 * elements * sizeof(float), &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 8;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  std::vector<float> values(elements);
  for (size_t i = 0; i < elements; i++) values[i] = static_cast<float>(rank + i);
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaMemcpyAsync(memory, values.data(), elements * sizeof(float), cudaMemcpyHostToDevice, stream));
  ncclSymPtr<float> in(window), out(window, elements * sizeof(float));
  all_reduce<float><<<8, 64, 0, stream>>>(dev_comm, in, out, elements);
  CHECK(cudaMemcpyAsync(values.data(), memory + elements, elements * sizeof(float), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (size_t i = 0; i < elements; i++) wrong += values[i] != count * (count - 1) / 2 + static_cast<float>(count) * i;
  CHECK(ncclDevCommDestroy(comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(comm, window));
  CHECK(ncclMemFree(memory));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}

int main() {
  int count;
  CHECK(cudaGetDeviceCount(&count));
  ncclUniqueId id;
  CHECK(ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; rank++) threads.emplace_back(run_rank, rank, count, id);
  for (std::thread& thread : threads) thread.join();
  std::printf("%d ranks, %ld wrong\n", count, wrong.load());
  return wrong != 0;
}
