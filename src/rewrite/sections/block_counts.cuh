
using BlockCount = cuda::atomic_ref<uint32_t, cuda::thread_scope_device>;

// Blocks of any shape.
__device__ inline unsigned thread_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ inline unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ inline unsigned grid_blocks() { return gridDim.x * gridDim.y * gridDim.z; }

// By one thread of a block, for all that the block did: whether it is the last of `count` to come here.
__device__ inline bool is_last_of(uint32_t& counter, unsigned count) {
  __threadfence_system();
  return BlockCount(counter).fetch_add(1, cuda::memory_order_acq_rel) + 1 == count;
}
