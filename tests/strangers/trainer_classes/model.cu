#include "model.hpp"
#include <cmath>
#include <cstdio>

namespace {
constexpr int kThreads = 256;
int blocks(size_t n) { return int((n + kThreads - 1) / kThreads); }

__global__ void init_kernel(float* w, size_t n, int layer) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < n) w[i] = float((i + layer) % 17) * 0.125f;
}

__global__ void backward_kernel(float* g, const float* w, size_t n, int layer, int rank, int iteration) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  float a = 0.f;
  for (int k = 0; k < 64; ++k) a = a * 0.5f + float((k + layer) & 3);
  g[i] = a * 0.f + w[i] * 0.5f + float((rank + iteration) % 4);
}

__global__ void sgd_kernel(float* w, const float* g, size_t n, float lr) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < n) w[i] -= lr * g[i];
}
}  // namespace

void Layer::init(int index, cudaStream_t s) { init_kernel<<<blocks(size()), kThreads, 0, s>>>(weight_.get(), size(), index); }

void Layer::backward(int index, int rank, int iteration, cudaStream_t s) {
  backward_kernel<<<blocks(size()), kThreads, 0, s>>>(grad_.get(), weight_.get(), size(), index, rank, iteration);
}

void Layer::update(float lr, int world, cudaStream_t s) {
  sgd_kernel<<<blocks(size()), kThreads, 0, s>>>(weight_.get(), grad_.get(), size(), lr / world);
}

Trainer::Trainer(const Options& o, Communicator& comm) : options_(o), comm_(comm) {
  CHECK(cudaStreamCreate(&compute_));
  CHECK(cudaStreamCreate(&network_));
  CHECK(cudaEventCreate(&begin_));
  CHECK(cudaEventCreate(&end_));
  CHECK(cudaEventCreateWithFlags(&reduced_, cudaEventDisableTiming));
  for (int l = 0; l < o.layers; ++l) {
    layers_.push_back(std::make_unique<Layer>(o.params_per_layer));
    layers_.back()->init(l, compute_);
    cudaEvent_t e;
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    ready_.push_back(e);
  }
  CHECK(cudaStreamSynchronize(compute_));
}

Trainer::~Trainer() {
  for (auto e : ready_) cudaEventDestroy(e);
  cudaEventDestroy(begin_);
  cudaEventDestroy(end_);
  cudaEventDestroy(reduced_);
  cudaStreamDestroy(compute_);
  cudaStreamDestroy(network_);
}

float Trainer::step(int iteration) {
  CHECK(cudaEventRecord(begin_, compute_));
  for (int l = options_.layers - 1; l >= 0; --l) {
    layers_[l]->backward(l, comm_.rank(), iteration, compute_);
    CHECK(cudaEventRecord(ready_[l], compute_));
    CHECK(cudaStreamWaitEvent(network_, ready_[l], 0));
    comm_.all_reduce_sum(layers_[l]->grad(), layers_[l]->size(), network_);
  }
  CHECK(cudaEventRecord(reduced_, network_));
  CHECK(cudaStreamWaitEvent(compute_, reduced_, 0));
  for (auto& layer : layers_) layer->update(options_.lr, comm_.world(), compute_);
  CHECK(cudaEventRecord(end_, compute_));
  CHECK(cudaEventSynchronize(end_));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, begin_, end_));
  return ms;
}

bool Trainer::verify(int iterations) {
  std::vector<float> host(layers_[0]->size());
  bool good = true;
  for (int l = 0; l < options_.layers; ++l) {
    CHECK(cudaMemcpy(host.data(), layers_[l]->weight(), host.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < host.size(); i += 997) {
      float w = float((i + l) % 17) * 0.125f;
      for (int t = 0; t < iterations; ++t) {
        float shift = 0;
        for (int r = 0; r < comm_.world(); ++r) shift += w * 0.5f + float((r + t) % 4);
        w -= options_.lr / comm_.world() * shift;
      }
      if (std::fabs(w - host[i]) > 1e-4f) {
        std::fprintf(stderr, "layer %d weight %zu is %f, not %f\n", l, i, host[i], w);
        good = false;
        break;
      }
    }
  }
  return good;
}
