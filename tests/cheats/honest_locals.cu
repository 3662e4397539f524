// expect: passed
// Gives addresses of locals to functions, and indexes arrays by what it computes.
//--- kernels
__noinline__ void fill_table(int* table, int count) {
  for (int i = 0; i < count; i++) table[i] = i;
}
__noinline__ int sum_of(const int* table, int count) { return count == 0 ? 0 : table[0] + sum_of(table + 1, count - 1); }
__device__ __noinline__ float pick(const float* own, int i) { return own[i & 3]; }
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float own[4] = {2.0f, 1.0f, 2.0f, 1.0f};
  if (i < count) part[i] = pick(own, i & 2) * input[i] + pick(own, 1);
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
//--- step
int table[16];
fill_table(table, 16);
union { float number; unsigned bits; } pun = {1.0f};
int* middle = &table[8];
bool is_fine = middle[-3] == 5 && pun.bits == 0x3f800000u && sum_of(table, 16) == 120;
int count = is_fine ? job.count : 0;
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
