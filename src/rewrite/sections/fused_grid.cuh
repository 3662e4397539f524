
// The block that the running one stands for: units one after the other, so that parts are done one after the other.
__device__ inline uint3 block_in_order(const FusedGrid& fusing) {
  unsigned linear = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned unit = linear / (grid_blocks() / fusing.units), rest = linear % (grid_blocks() / fusing.units);
  if (fusing.dimension == 0) return {unit, rest % gridDim.y, rest / gridDim.y};
  if (fusing.dimension == 1) return {rest % gridDim.x, unit, rest / gridDim.x};
  return {rest % gridDim.x, rest / gridDim.x, unit};
}

// In front of the kernel's own work: the block to be.
__device__ inline uint3 begin_fused(const FusedGrid& fusing) {
  if (fusing.in_order) return blockIdx;
  __shared__ uint3 block;
  if (thread_in_block() == 0) block = block_in_order(fusing);
  __syncthreads();
  return block;
}

__device__ inline int part_with(const FusedGrid& fusing, const uint3& block) {
  unsigned unit = fusing.dimension == 0 ? block.x : fusing.dimension == 1 ? block.y : block.z;
  int part = 0;
  while (fusing.cuts[part + 1] <= unit) part++;
  return part;
}

__device__ inline unsigned blocks_in(const FusedGrid& fusing, int part) {
  return (fusing.cuts[part + 1] - fusing.cuts[part]) * (grid_blocks() / fusing.units);
}
