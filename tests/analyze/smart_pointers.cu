// Communicator and layers behind smart pointers: made by std::make_unique, emplaced in vectors, destroyed at a return.
// expect: communicator new Link.comm_ init_rank ranks=size parent=none
// expect: buffer new Layer.grad_ device bytes=4*width frees=1
// expect: site s1 ncclAllReduce send=new Layer.grad_ recv=new Layer.grad_ count=width type=ncclFloat comm=new Link.comm_ stream=new Model.stream_ op=ncclSum in-place
// expect: producer s1 backward new Layer#2.grad_
// expect: consumer s1 apply new Layer#2.grad_
// expect: operation ncclCommDestroy in Link::~Link
// expect-count: 2 operation cudaFree in Layer::~Layer
// expect: convertible s1 yes
// expect-not: external
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <memory>
#include <vector>

__global__ void backward(float* grad, size_t n) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) grad[i] = 0.5f * i;
}

__global__ void apply(float* weight, const float* grad, size_t n) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) weight[i] -= grad[i];
}

class Link {
 public:
  Link(int rank, int size) {
    ncclUniqueId id;
    if (rank == 0) ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&comm_, size, id, rank);
  }
  ~Link() { ncclCommDestroy(comm_); }
  void sum(float* data, size_t n, cudaStream_t stream) {
    ncclAllReduce(data, data, n, ncclFloat, ncclSum, comm_, stream);
  }

 private:
  ncclComm_t comm_;
};

struct Layer {
  explicit Layer(size_t n) {
    cudaMalloc(&weight_, n * sizeof(float));
    cudaMalloc(&grad_, n * sizeof(float));
  }
  ~Layer() {
    cudaFree(weight_);
    cudaFree(grad_);
  }
  float *weight_ = nullptr, *grad_ = nullptr;
};

class Model {
 public:
  Model(size_t width, std::shared_ptr<Link> link) : link_(link) {
    for (int i = 0; i < 2; ++i) layers_.push_back(std::make_unique<Layer>(width));
    biases_.emplace_back(width);
    cudaStreamCreate(&stream_);
  }
  void step(size_t width) {
    for (auto& layer : layers_) {
      backward<<<width / 256, 256, 0, stream_>>>(layer->grad_, width);
      link_->sum(layer->grad_, width, stream_);
      apply<<<width / 256, 256, 0, stream_>>>(layer->weight_, layer->grad_, width);
    }
    apply<<<width / 256, 256, 0, stream_>>>(biases_[0].weight_, biases_[0].grad_, width);
    cudaStreamSynchronize(stream_);
  }

 private:
  std::shared_ptr<Link> link_;
  std::vector<std::unique_ptr<Layer>> layers_;
  std::vector<Layer> biases_;
  cudaStream_t stream_;
};

static int train(int rank, int size, size_t width) {
  auto link = std::make_shared<Link>(rank, size);
  auto model = std::make_unique<Model>(width, link);
  for (int i = 0; i < 10; ++i) model->step(width);
  return 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  size_t width;
  MPI_Bcast(&width, sizeof(width), MPI_BYTE, 0, MPI_COMM_WORLD);
  int result = train(rank, size, width);
  MPI_Finalize();
  return result;
}
