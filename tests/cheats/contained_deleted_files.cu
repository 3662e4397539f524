// expect: verified limit
// Fills the disk with files that no folder has any more.
// own parent: only the sandbox and the judge stand against it
//--- kernels
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
#include <fcntl.h>
#include <unistd.h>
#include <string>
//--- step
std::string block(1 << 20, 'x');
for (int i = 0; i < 200; i++) {
  int file = open("gone", O_RDWR | O_CREAT, 0600);
  unlink("gone");
  for (int part = 0; part < 8; part++)
    if (write(file, block.data(), block.size()) < 0) break;
}
for (volatile long i = 0;; i = i + 1) {
}
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
