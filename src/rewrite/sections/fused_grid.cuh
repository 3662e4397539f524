
using BlockCount = cuda::atomic_ref<uint32_t, cuda::thread_scope_device>;

// Blocks of any shape.
__device__ inline unsigned thread_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ inline unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ inline unsigned grid_blocks() { return gridDim.x * gridDim.y * gridDim.z; }

// Block `linear` of a grid whose units come one after the other, so that parts are done one after the other.
__device__ inline uint3 block_in_order(const FusedGrid& fusing, dim3 grid, unsigned linear) {
  unsigned each = grid.x * grid.y * grid.z / fusing.units, unit = linear / each, rest = linear % each;
  if (fusing.dimension == 0) return {unit, rest % grid.y, rest / grid.y};
  if (fusing.dimension == 1) return {rest % grid.x, unit, rest / grid.x};
  return {rest % grid.x, rest / grid.x, unit};
}

// In front of the kernel's own work: the block to be.
__device__ inline uint3 begin_fused(const FusedGrid& fusing) {
  if (fusing.in_order) return blockIdx;
  __shared__ uint3 block;
  if (thread_in_block() == 0)
    block = block_in_order(fusing, gridDim, blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z));
  __syncthreads();
  return block;
}

__device__ inline int part_with(const FusedGrid& fusing, const uint3& block) {
  unsigned unit = fusing.dimension == 0 ? block.x : fusing.dimension == 1 ? block.y : block.z;
  int part = 0;
  while (fusing.cuts[part + 1] <= unit) part++;
  return part;
}

// By one thread of a block, for all that the block did: whether it is the last of `count` to come here.
__device__ inline bool is_last_of(uint32_t& counter, unsigned count) {
  __threadfence_system();
  return BlockCount(counter).fetch_add(1, cuda::memory_order_acq_rel) + 1 == count;
}
__device__ inline unsigned blocks_in(const FusedGrid& fusing, int part) {
  return (fusing.cuts[part + 1] - fusing.cuts[part]) * (grid_blocks() / fusing.units);
}
