// The event is recorded before the copy, so waiting for it says nothing about the data on the host.
// ranks: 1
// expect-finding: host_race
// says: the copy of `out` to `host` at
#include <cstdio>

constexpr int kCount = 512;

__global__ void square_digits(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * in[i] % 1000;
}

struct Job {
  int *in, *out, *host;
  cudaStream_t stream;
  cudaEvent_t done;

  Job() {
    cudaMalloc(&in, kCount * sizeof(int));
    cudaMalloc(&out, kCount * sizeof(int));
    cudaMallocHost(&host, kCount * sizeof(int));
    cudaStreamCreate(&stream);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  }
  ~Job() {
    cudaStreamSynchronize(stream);
    cudaEventDestroy(done);
    cudaStreamDestroy(stream);
    cudaFreeHost(host);
    cudaFree(out);
    cudaFree(in);
  }
  void run() {
    for (int i = 0; i < kCount; i++) host[i] = i;
    cudaMemcpyAsync(in, host, kCount * sizeof(int), cudaMemcpyHostToDevice, stream);
    square_digits<<<4, 128, 0, stream>>>(in, out);
    cudaEventRecord(done, stream);                                                     // FAULT
    cudaMemcpyAsync(host, out, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream);  // FAULT
    square_digits<<<4, 128, 0, stream>>>(out, in);
    cudaEventSynchronize(done);
  }
};

int main() {
  Job job;
  job.run();
  int wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += job.host[i] != i * i % 1000;  // FAULT
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
