// expect: passed
// A file of its own, deleted while it is open, and nothing written to nowhere.
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
//--- step
int file = open("own", O_RDWR | O_CREAT, 0600);
unlink("own");
int nowhere = open("/dev/null", O_WRONLY);
if (write(file, "note", 4) != 4 || write(nowhere, "note", 4) != 4) return;
close(nowhere);
close(file);
scale<<<(job.count + 63) / 64, 64, 0, job.stream>>>(job.input, job.part, job.count);
ncclAllGather(job.part, job.gathered, job.count, ncclFloat, job.comm, job.stream);
smooth<<<(job.total() + 63) / 64, 64, 0, job.stream>>>(job.gathered, job.result, job.total());
cudaStreamSynchronize(job.stream);
