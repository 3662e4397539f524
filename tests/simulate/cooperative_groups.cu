// Warp tiles, grid-wide synchronisation and a flag passed between blocks.
// ranks: 1
// expect: ok
// expect: sum 49995000, flag 4
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdio>
#include <cuda/atomic>

namespace cg = cooperative_groups;

__global__ void sum_all(const int* in, int count, int* total, unsigned* flag) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  int sum = 0;
  for (unsigned i = cg::this_grid().thread_rank(); i < count; i += cg::this_grid().size()) sum += in[i];
  sum = cg::reduce(warp, sum, cg::plus<int>());
  if (warp.thread_rank() == 0) atomicAdd(total, sum);
  cg::this_grid().sync();
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> arrived(*flag);
  if (block.thread_rank() == 0) {
    if (*total == 49995000) arrived.fetch_add(1, cuda::memory_order_release);
    while (arrived.load(cuda::memory_order_acquire) < gridDim.x) {}
  }
  block.sync();
}

int main() {
  const int count = 10000;
  int *in, *total;
  unsigned* flag;
  cudaMallocManaged(&in, count * sizeof(int));
  cudaMallocManaged(&total, sizeof(int));
  cudaMallocManaged(&flag, sizeof(unsigned));
  for (int i = 0; i < count; i++) in[i] = i;
  *total = 0;
  *flag = 0;
  int size = count;
  void* arguments[] = {&in, &size, &total, &flag};
  cudaLaunchCooperativeKernel(sum_all, dim3(4), dim3(128), arguments);
  cudaDeviceSynchronize();
  std::printf("sum %d, flag %u\n", *total, *flag);
  return 0;
}
