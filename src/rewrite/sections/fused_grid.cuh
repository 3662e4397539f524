
// Block `linear` of a grid whose units come one after the other, so that parts are done one after the other.
__device__ inline uint3 block_in_order(const FusedGrid& fusing, dim3 grid, unsigned linear) {
  unsigned each = grid.x * grid.y * grid.z / fusing.units, unit = linear / each, rest = linear % each;
  if (fusing.dimension == 0) return {unit, rest % grid.y, rest / grid.y};
  if (fusing.dimension == 1) return {rest % grid.x, unit, rest / grid.x};
  return {rest % grid.x, rest / grid.x, unit};
}

// The block to be.
__device__ inline uint3 block_in_turn(const FusedGrid& fusing) {
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

__device__ inline unsigned blocks_in(const FusedGrid& fusing, int part) {
  return (fusing.cuts[part + 1] - fusing.cuts[part]) * (grid_blocks() / fusing.units);
}
