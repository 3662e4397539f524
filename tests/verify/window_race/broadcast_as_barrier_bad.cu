// A broadcast stands in for a barrier, but its root learns nothing of the others: it reads windows still being written.
// ranks: 3
// expect-finding: window_race
#include <nccl.h>
#include <nccl_device.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), std::exit(1)))

constexpr int kDevices = 3;
constexpr int kCount = 128;

// One host thread drives all devices; everything collective is grouped.
struct Gpu {
  ncclComm_t comm;
  cudaStream_t stream;
  int *memory, *token, *gathered;
  ncclWindow_t window;
};

__global__ void fill(int* own, int rank) { own[threadIdx.x] = rank * 1000 + threadIdx.x; }  // FAULT

__global__ void gather(ncclWindow_t window, int* out) {
  auto* from = static_cast<const int*>(ncclGetLsaPointer(window, 0, blockIdx.x));
  out[blockIdx.x * blockDim.x + threadIdx.x] = from[threadIdx.x];  // FAULT
}

template <typename Action>
void on_each(std::vector<Gpu>& gpus, Action action) {
  for (int device = 0; device < kDevices; device++) {
    CHECK(cudaSetDevice(device));
    action(gpus[device], device);
  }
}

template <typename Action>
void grouped(std::vector<Gpu>& gpus, Action action) {
  CHECK(ncclGroupStart());
  on_each(gpus, action);
  CHECK(ncclGroupEnd());
}

int main() {
  std::vector<Gpu> gpus(kDevices);
  ncclComm_t comms[kDevices];
  CHECK(ncclCommInitAll(comms, kDevices, nullptr));
  on_each(gpus, [&](Gpu& gpu, int device) {
    gpu.comm = comms[device];
    CHECK(cudaStreamCreate(&gpu.stream));
    CHECK(ncclMemAlloc(reinterpret_cast<void**>(&gpu.memory), kCount * sizeof(int)));
    CHECK(cudaMalloc(&gpu.token, sizeof(int)));
    CHECK(cudaMemsetAsync(gpu.token, 0, sizeof(int), gpu.stream));
    CHECK(cudaMalloc(&gpu.gathered, kDevices * kCount * sizeof(int)));
  });
  grouped(gpus, [](Gpu& gpu, int) {
    CHECK(ncclCommWindowRegister(gpu.comm, gpu.memory, kCount * sizeof(int), &gpu.window, NCCL_WIN_COLL_SYMMETRIC));
  });
  on_each(gpus, [](Gpu& gpu, int device) { fill<<<1, kCount, 0, gpu.stream>>>(gpu.memory, device); });
  grouped(gpus, [](Gpu& gpu, int) { CHECK(ncclBroadcast(gpu.token, gpu.token, 1, ncclInt, 0, gpu.comm, gpu.stream)); });
  on_each(gpus, [](Gpu& gpu, int) { gather<<<kDevices, kCount, 0, gpu.stream>>>(gpu.window, gpu.gathered); });
  long wrong = 0;
  on_each(gpus, [&](Gpu& gpu, int) {
    std::vector<int> got(kDevices * kCount);
    CHECK(cudaMemcpyAsync(got.data(), gpu.gathered, got.size() * sizeof(int), cudaMemcpyDeviceToHost, gpu.stream));
    CHECK(cudaStreamSynchronize(gpu.stream));
    for (int i = 0; i < kDevices * kCount; i++) wrong += got[i] != i / kCount * 1000 + i % kCount;
  });
  grouped(gpus, [](Gpu& gpu, int) { CHECK(ncclCommWindowDeregister(gpu.comm, gpu.window)); });
  on_each(gpus, [](Gpu& gpu, int) {
    CHECK(ncclMemFree(gpu.memory));
    CHECK(cudaFree(gpu.token));
    CHECK(cudaFree(gpu.gathered));
    CHECK(cudaStreamDestroy(gpu.stream));
    CHECK(ncclCommDestroy(gpu.comm));
  });
  std::printf("%ld wrong\n", wrong);
  return wrong != 0;
}
