// __launch_bounds__ before and after the return type, with one and two arguments, with an expression.
// expect: resources pack_rows shared=0 barriers=0 launch-bounds=256
// expect: resources add_bias shared=0 barriers=0 launch-bounds=256,2
// expect: resources row_norm shared=0+dynamic barriers=1 launch-bounds=kWarps * 32,8
// expect: kernel pack_rows matrix:read packed:write
// expect: kernel add_bias rows:read_write bias:read
// expect: kernel row_norm rows:read norm:write
// expect-count: 3 kernel
// expect: launch pack_rows grid=dim3(rows, 1) block=256 shared=0 stream=stream
// expect: launch row_norm grid=rows block=kWarps * 32 shared=kWarps * sizeof(float) stream=stream
// expect: producer s1 pack_rows packed
// expect: consumer s1 add_bias gathered
// expect-not: producer s1 add_bias
#include <cuda_runtime.h>
#include <nccl.h>

constexpr int kWarps = 4;

__global__ void __launch_bounds__(256) pack_rows(const float* matrix, float* packed, int columns, int stride) {
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    packed[blockIdx.x * columns + c] = matrix[blockIdx.x * stride + c];
}

__launch_bounds__(256, 2) __global__ void add_bias(float* rows, const float* bias, int columns) {
  for (int c = threadIdx.x; c < columns; c += blockDim.x) rows[blockIdx.x * columns + c] += bias[c];
}

__global__ __launch_bounds__(kWarps * 32, 8) void row_norm(const float* rows, float* norm, int columns) {
  extern __shared__ float partial[];
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += rows[blockIdx.x * columns + c];
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_down_sync(~0u, sum, lane);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) norm[blockIdx.x] = partial[0] + partial[1] + partial[2] + partial[3];
}

void column_parallel_bias(const float* matrix, const float* bias, int rows, int columns, int stride, ncclComm_t comm,
                          cudaStream_t stream) {
  int ranks;
  ncclCommCount(comm, &ranks);
  float *packed, *gathered, *norm;
  cudaMalloc(&packed, rows * columns * sizeof(float));
  cudaMalloc(&gathered, ranks * rows * columns * sizeof(float));
  cudaMalloc(&norm, rows * sizeof(float));
  pack_rows<<<dim3(rows, 1), 256, 0, stream>>>(matrix, packed, columns, stride);
  ncclAllGather(packed, gathered, rows * columns, ncclFloat, comm, stream);
  add_bias<<<rows * ranks, 256, 0, stream>>>(gathered, bias, columns);
  row_norm<<<rows, kWarps * 32, kWarps * sizeof(float), stream>>>(gathered, norm, columns);
  cudaStreamSynchronize(stream);
  cudaFree(packed);
  cudaFree(gathered);
  cudaFree(norm);
}
