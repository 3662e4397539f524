
// The running block's place in the order of all, as the block that it stands for.
__device__ inline uint3 block_by_arrival(const Awaiting& awaiting) {
  if (awaiting.run_count == 0) return blockIdx;
  const dim3 grid = gridDim;
  unsigned linear = blockIdx.x + grid.x * (blockIdx.y + grid.y * blockIdx.z);
  unsigned others = grid.x * grid.y * grid.z / extent_of(grid, awaiting.dimension);
  unsigned index = linear / others, rest = linear % others, run = 0;
  while (index >= awaiting.runs[run].count) index -= awaiting.runs[run++].count;
  index += awaiting.runs[run].first;
  if (awaiting.dimension == 0) return {index, rest % grid.y, rest / grid.y};
  if (awaiting.dimension == 1) return {rest % grid.x, index, rest / grid.x};
  return {rest % grid.x, rest / grid.x, index};
}
__device__ inline bool touches(const Awaiting& awaiting, const uint3& block, const Awaited& message) {
  const dim3 index(block.x, block.y, block.z);
  for (int i = 0; i < awaiting.use_count; i++)
    if (meet(awaiting.uses[i], extent_of(index, awaiting.uses[i].dimension), message)) return true;
  return false;
}

// In front of the kernel's own work, by all threads of a block: the block to be, when what it touches has come.
template <typename Path>
__device__ uint3 await_block(const Awaiting& awaiting) {
  if (awaiting.count == 0) return blockIdx;
  __shared__ uint3 block;
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  if (thread == 0) block = block_by_arrival(awaiting);
  __syncthreads();
  Path path(awaiting.here);
  for (unsigned i = thread; i < (unsigned)awaiting.count; i += blockDim.x * blockDim.y * blockDim.z) {
    const Awaited& message = awaiting.messages[i];
    if (touches(awaiting, block, message)) path.await({0, 0, message.number, (int16_t)message.peer, 0});
  }
  __syncthreads();
  return block;
}
