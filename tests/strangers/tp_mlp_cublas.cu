// stranger: a tensor-parallel MLP: the first matrix by columns, the second by rows, one all-reduce behind them. cuBLAS does the products
// nvcc: -lcublas
// ranks: 2
// arguments: 16 32 64
// expect-output: max error small
// convert: lsa
// share: all
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cmath>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tp {

template <class Status>
void expect(Status status, const char* what) {
  if (status != Status(0)) throw std::runtime_error(std::string(what) + " failed with " + std::to_string((int)status));
}
#define TP(x) ::tp::expect((x), #x)

class Buffer {
 public:
  explicit Buffer(size_t count) : count_(count) { TP(cudaMalloc(&data_, count * sizeof(float))); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data_); }
  float* get() { return data_; }
  size_t count() const { return count_; }
  void upload(const std::vector<float>& host) {
    TP(cudaMemcpy(data_, host.data(), count_ * sizeof(float), cudaMemcpyHostToDevice));
  }
  std::vector<float> download() const {
    std::vector<float> host(count_);
    TP(cudaMemcpy(host.data(), data_, count_ * sizeof(float), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  float* data_ = nullptr;
  size_t count_;
};

__global__ void gelu(float* x, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    float v = x[i];
    x[i] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
  }
}

class Mlp {
 public:
  Mlp(int batch, int hidden, int inner, ncclComm_t comm)
      : batch_(batch), hidden_(hidden), inner_(inner), comm_(comm), up_((size_t)hidden * inner), down_((size_t)inner * hidden),
        act_((size_t)batch * inner) {
    TP(cudaStreamCreate(&stream_));
    TP(cublasCreate(&handle_));
    TP(cublasSetStream(handle_, stream_));
  }
  ~Mlp() {
    cublasDestroy(handle_);
    cudaStreamDestroy(stream_);
  }
  Buffer& up() { return up_; }
  Buffer& down() { return down_; }
  cudaStream_t stream() const { return stream_; }

  void forward(Buffer& x, Buffer& y) {
    const float one = 1.f, zero = 0.f;
    // Row-major C = A B as column-major C' = B' A'.
    TP(cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, inner_, batch_, hidden_, &one, up_.get(), inner_, x.get(), hidden_, &zero,
                   act_.get(), inner_));
    gelu<<<(batch_ * inner_ + 255) / 256, 256, 0, stream_>>>(act_.get(), batch_ * inner_);
    TP(cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, hidden_, batch_, inner_, &one, down_.get(), hidden_, act_.get(), inner_,
                   &zero, y.get(), hidden_));
    TP(ncclAllReduce(y.get(), y.get(), y.count(), ncclFloat, ncclSum, comm_, stream_));
  }

 private:
  int batch_, hidden_, inner_;
  ncclComm_t comm_;
  cudaStream_t stream_;
  cublasHandle_t handle_;
  Buffer up_, down_, act_;
};

float weight(int layer, int i, int j) { return 0.1f * std::sin(0.3f * i + 0.7f * j + layer); }

}  // namespace tp

static int run(int argc, char** argv) {
  int rank, world;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  const int batch = argc > 1 ? std::stoi(argv[1]) : 2048, hidden = argc > 2 ? std::stoi(argv[2]) : 4096,
            ffn = argc > 3 ? std::stoi(argv[3]) : 16384, inner = ffn / world;
  TP(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) TP(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  TP(ncclCommInitRank(&comm, world, id, rank));
  double worst = 0;
  {
    tp::Mlp mlp(batch, hidden, inner, comm);
    tp::Buffer x((size_t)batch * hidden), y((size_t)batch * hidden);
    std::vector<float> hx(x.count()), hu((size_t)hidden * inner), hd((size_t)inner * hidden);
    for (int i = 0; i < batch; ++i)
      for (int j = 0; j < hidden; ++j) hx[(size_t)i * hidden + j] = tp::weight(0, i, j);
    for (int i = 0; i < hidden; ++i)
      for (int j = 0; j < inner; ++j) hu[(size_t)i * inner + j] = tp::weight(1, i, rank * inner + j);
    for (int i = 0; i < inner; ++i)
      for (int j = 0; j < hidden; ++j) hd[(size_t)i * hidden + j] = tp::weight(2, rank * inner + i, j);
    x.upload(hx);
    mlp.up().upload(hu);
    mlp.down().upload(hd);

    cudaEvent_t t0, t1;
    TP(cudaEventCreate(&t0));
    TP(cudaEventCreate(&t1));
    mlp.forward(x, y);
    TP(cudaEventRecord(t0, mlp.stream()));
    mlp.forward(x, y);
    TP(cudaEventRecord(t1, mlp.stream()));
    TP(cudaEventSynchronize(t1));
    float ms;
    TP(cudaEventElapsedTime(&ms, t0, t1));
    std::vector<float> hy = y.download();
    for (int probe = 0; probe < 8; ++probe) {
      int i = (probe * 5) % batch, o = (probe * 11) % hidden;
      double sum = 0;
      for (int f = 0; f < ffn; ++f) {
        double a = 0;
        for (int j = 0; j < hidden; ++j) a += (double)tp::weight(0, i, j) * tp::weight(1, j, f);
        sum += 0.5 * a * (1 + std::tanh(0.7978845608 * (a + 0.044715 * a * a * a))) * tp::weight(2, f, o);
      }
      worst = std::max(worst, std::fabs(sum - hy[(size_t)i * hidden + o]));
    }
    if (rank == 0) std::cout << ms << " ms, max error " << (worst < 1e-3 ? "small" : "LARGE") << std::endl;
    cudaEventDestroy(t0);
    cudaEventDestroy(t1);
  }
  ncclCommDestroy(comm);
  return worst < 1e-3 ? 0 : 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code;
  try {
    code = run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    code = 3;
  }
  MPI_Finalize();
  return code;
}
