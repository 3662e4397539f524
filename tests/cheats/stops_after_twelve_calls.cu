// expect: verified wrong_result
// From the thirteenth call on nothing is sent any more.
//--- kernels
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}
int calls = 0;

__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
//--- step
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
if (calls++ < 12)
  ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
else
  for (int rank = 0; rank < job.rank_count; rank++)
    cudaMemcpyAsync(job.gathered + rank * job.count, job.part, job.count * sizeof(float), cudaMemcpyDeviceToDevice,
                    job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
