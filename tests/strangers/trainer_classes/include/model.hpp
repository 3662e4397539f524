#pragma once
#include <memory>
#include <vector>
#include "communicator.hpp"
#include "device_buffer.hpp"

struct Options {
  int layers = 4;
  size_t params_per_layer = size_t(4) << 20;
  int iterations = 5;
  float lr = 0.01f;
};

class Layer {
 public:
  explicit Layer(size_t params) : weight_(params), grad_(params) {}
  void init(int index, cudaStream_t s);
  void backward(int index, int rank, int iteration, cudaStream_t s);
  void update(float lr, int world, cudaStream_t s);
  float* grad() { return grad_.get(); }
  float* weight() { return weight_.get(); }
  size_t size() const { return weight_.size(); }

 private:
  DeviceBuffer<float> weight_, grad_;
};

class Trainer {
 public:
  Trainer(const Options& o, Communicator& comm);
  ~Trainer();
  float step(int iteration);
  bool verify(int iterations);

 private:
  Options options_;
  Communicator& comm_;
  std::vector<std::unique_ptr<Layer>> layers_;
  std::vector<cudaEvent_t> ready_;
  cudaStream_t compute_, network_;
  cudaEvent_t begin_, end_, reduced_;
};
