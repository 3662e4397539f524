// The pinned buffer is freed when the uploader ends, while the copy it queued may still be reading it.
// ranks: 1
// expect-finding: host_race
#include <cstdio>
#include <vector>

constexpr int kCount = 4096;

class PinnedBuffer {
 public:
  PinnedBuffer() { cudaMallocHost(&data_, kCount * sizeof(int)); }
  ~PinnedBuffer() { cudaFreeHost(data_); }  // FAULT
  PinnedBuffer(const PinnedBuffer&) = delete;
  int* data() { return data_; }

 private:
  int* data_;
};

class Uploader {
 public:
  explicit Uploader(cudaStream_t stream) : stream_(stream) {}
  void upload_squares(int* device) {
    for (int i = 0; i < kCount; i++) staging_.data()[i] = i * i;
    const int* source = staging_.data();
    cudaMemcpyAsync(device, source, kCount * sizeof(int), cudaMemcpyHostToDevice, stream_);  // FAULT
  }

 private:
  cudaStream_t stream_;
  PinnedBuffer staging_;
};

int main() {
  int* device;
  cudaStream_t stream;
  cudaMalloc(&device, kCount * sizeof(int));
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  { Uploader(stream).upload_squares(device); }  // FAULT
  cudaStreamSynchronize(stream);
  std::vector<int> host(kCount);
  cudaMemcpy(host.data(), device, kCount * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += host[i] != i * i;
  std::printf("%d wrong\n", wrong);
  cudaStreamDestroy(stream);
  cudaFree(device);
  return wrong != 0;
}
