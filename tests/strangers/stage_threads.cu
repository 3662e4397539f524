// stranger: stages of a pipeline in threads: a class a stage with streams, events and a communicator, peers from its index
// arguments: --width 128 --rows 16 --micro 3
// ranks: 4
// expect-output: PASS
// convert: lsa
// share: all
// Pipeline parallelism over threads: stage i owns GPU i, micro-batches go from stage to stage.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime.h>
#include <nccl.h>

struct Settings {
  std::size_t width = 1 << 12;      // features of one row
  std::size_t rows = 512;           // rows of a micro-batch
  unsigned microbatches = 8;
  unsigned stages = 4;
};

#define TRY(expr) attempt((expr), #expr, __LINE__)
inline void attempt(cudaError_t e, const char* text, int line) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(text) + " at " + std::to_string(line) + ": " + cudaGetErrorName(e));
}
inline void attempt(ncclResult_t e, const char* text, int line) {
  if (e != ncclSuccess) throw std::runtime_error(std::string(text) + " at " + std::to_string(line) + ": " + ncclGetErrorString(e));
}

__global__ void produce(float* x, std::size_t n, unsigned batch) {
  std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i < n) x[i] = static_cast<float>((i * 31 + batch) % 64);
}

// y = a x + b, mixed along the row a few times so that there is something to hide.
__global__ void layer(const float* x, float* y, std::size_t width, std::size_t rows, float bias) {
  std::size_t col = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  std::size_t row = blockIdx.y;
  if (col >= width || row >= rows) return;
  const float* line = x + row * width;
  float sum = 0.0f;
  for (int k = 0; k < 32; ++k) sum += line[(col + k) % width];
  y[row * width + col] = sum * (1.0f / 32.0f) + bias;
}

class Stage {
 public:
  Stage(const Settings& s, unsigned index, ncclUniqueId id) : s_(s), index_(index), count_(s.width * s.rows) {
    TRY(cudaSetDevice(static_cast<int>(index)));
    TRY(ncclCommInitRank(&comm_, static_cast<int>(s.stages), id, static_cast<int>(index)));
    TRY(cudaStreamCreate(&stream_));
    TRY(cudaMalloc(&in_, count_ * sizeof(float)));
    TRY(cudaMalloc(&out_, count_ * sizeof(float)));
    TRY(cudaEventCreate(&t0_));
    TRY(cudaEventCreate(&t1_));
  }
  ~Stage() {
    cudaFree(in_);
    cudaFree(out_);
    cudaEventDestroy(t0_);
    cudaEventDestroy(t1_);
    cudaStreamDestroy(stream_);
    ncclCommDestroy(comm_);
  }

  float run() {
    const bool first = index_ == 0, last = index_ + 1 == s_.stages;
    dim3 grid((s_.width + 255) / 256, s_.rows);
    TRY(cudaEventRecord(t0_, stream_));
    for (unsigned m = 0; m < s_.microbatches; ++m) {
      if (first) produce<<<(count_ + 255) / 256, 256, 0, stream_>>>(in_, count_, m);
      else TRY(ncclRecv(in_, count_, ncclFloat, index_ - 1, comm_, stream_));
      layer<<<grid, 256, 0, stream_>>>(in_, out_, s_.width, s_.rows, 0.5f);
      if (!last) TRY(ncclSend(out_, count_, ncclFloat, index_ + 1, comm_, stream_));
    }
    TRY(cudaEventRecord(t1_, stream_));
    TRY(cudaEventSynchronize(t1_));
    float ms = 0.0f;
    TRY(cudaEventElapsedTime(&ms, t0_, t1_));
    return ms;
  }

  bool check() const {
    std::vector<float> got(s_.width);
    TRY(cudaMemcpy(got.data(), out_, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    std::vector<float> want(s_.width), next(s_.width);
    for (std::size_t i = 0; i < want.size(); ++i) want[i] = static_cast<float>((i * 31 + s_.microbatches - 1) % 64);
    for (unsigned st = 0; st <= index_; ++st) {
      for (std::size_t c = 0; c < want.size(); ++c) {
        float sum = 0.0f;
        for (int k = 0; k < 32; ++k) sum += want[(c + k) % want.size()];
        next[c] = sum * (1.0f / 32.0f) + 0.5f;
      }
      want.swap(next);
    }
    for (std::size_t i = 0; i < want.size(); ++i)
      if (std::abs(want[i] - got[i]) > 1e-3f) return false;
    return true;
  }

 private:
  Settings s_;
  unsigned index_;
  std::size_t count_;
  ncclComm_t comm_{};
  cudaStream_t stream_{};
  cudaEvent_t t0_{}, t1_{};
  float *in_ = nullptr, *out_ = nullptr;
};

int main(int argc, char** argv) {
  Settings s;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string key = argv[i];
    unsigned long v = std::strtoul(argv[i + 1], nullptr, 10);
    if (key == "--width") s.width = v;
    else if (key == "--rows") s.rows = v;
    else if (key == "--micro") s.microbatches = static_cast<unsigned>(v);
    else if (key == "--stages") s.stages = static_cast<unsigned>(v);
    else { std::cerr << "unknown option " << key << "\n"; return 2; }
  }
  ncclUniqueId id;
  TRY(ncclGetUniqueId(&id));
  std::vector<std::thread> crew;
  std::atomic<int> failures{0};
  std::vector<float> times(s.stages);
  for (unsigned i = 0; i < s.stages; ++i)
    crew.emplace_back([&, i] {
      try {
        Stage stage(s, i, id);
        times[i] = stage.run();
        if (!stage.check()) ++failures;
      } catch (const std::exception& e) {
        std::cerr << "stage " << i << ": " << e.what() << "\n";
        ++failures;
      }
    });
  for (auto& t : crew) t.join();
  std::printf("last stage %.3f ms, %s\n", times.back(), failures ? "FAIL" : "PASS");
  return failures;
}
