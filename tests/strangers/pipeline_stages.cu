// stranger: pipeline parallelism: each rank is a stage, micro-batches travel down the stages, the last stage adds up the loss
// ranks: 4
// arguments: --micro 4 --width 64
// expect-output: loss matches: yes
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

inline void ok(cudaError_t e) { if (e != cudaSuccess) { std::fprintf(stderr, "%s\n", cudaGetErrorString(e)); std::abort(); } }
inline void ok(ncclResult_t e) { if (e != ncclSuccess) { std::fprintf(stderr, "%s\n", ncclGetErrorString(e)); std::abort(); } }

__global__ void stage_kernel(const float* in, float* out, int width, float weight, float bias) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < width) out[i] = tanhf(weight * in[i] + bias);
}

__global__ void make_batch(float* x, int width, int micro) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < width) x[i] = 0.001f * ((i * 17 + micro * 5) % 1000);
}

__global__ void add_loss(const float* y, float* loss, int width) {
  __shared__ float part[128];
  float sum = 0;
  for (int i = threadIdx.x; i < width; i += blockDim.x) sum += y[i] * y[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *loss += part[0];
}

class Pipeline {
 public:
  Pipeline(int rank, int world, int micro, int width, ncclComm_t comm)
      : rank_(rank), world_(world), micro_(micro), width_(width), comm_(comm), in_(micro), out_(micro) {
    ok(cudaStreamCreate(&stream_));
    for (int m = 0; m < micro; ++m) {
      ok(cudaMalloc((void**)&in_[m], width * sizeof(float)));
      ok(cudaMalloc((void**)&out_[m], width * sizeof(float)));
    }
    ok(cudaMalloc((void**)&loss_, sizeof(float)));
  }
  ~Pipeline() {
    for (float* p : in_) cudaFree(p);
    for (float* p : out_) cudaFree(p);
    cudaFree(loss_);
    cudaStreamDestroy(stream_);
  }

  float forward() {
    const bool first = rank_ == 0, last = rank_ == world_ - 1;
    const int blocks = (width_ + 63) / 64;
    ok(cudaMemsetAsync(loss_, 0, sizeof(float), stream_));
    for (int m = 0; m < micro_; ++m) {
      if (first) make_batch<<<blocks, 64, 0, stream_>>>(in_[m], width_, m);
      else ok(ncclRecv(in_[m], width_, ncclFloat, rank_ - 1, comm_, stream_));
      stage_kernel<<<blocks, 64, 0, stream_>>>(in_[m], out_[m], width_, 1.0f + 0.1f * rank_, 0.05f);
      if (last) add_loss<<<1, 128, 0, stream_>>>(out_[m], loss_, width_);
      else ok(ncclSend(out_[m], width_, ncclFloat, rank_ + 1, comm_, stream_));
    }
    ok(ncclBroadcast(loss_, loss_, 1, ncclFloat, world_ - 1, comm_, stream_));
    float loss;
    ok(cudaMemcpyAsync(&loss, loss_, sizeof loss, cudaMemcpyDeviceToHost, stream_));
    ok(cudaStreamSynchronize(stream_));
    return loss;
  }

 private:
  int rank_, world_, micro_, width_;
  ncclComm_t comm_;
  cudaStream_t stream_{};
  std::vector<float*> in_, out_;
  float* loss_ = nullptr;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, world = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  std::map<std::string, int> args{{"--micro", 8}, {"--width", 1 << 20}, {"--steps", 2}};
  for (int i = 1; i + 1 < argc; i += 2) {
    auto it = args.find(argv[i]);
    if (it == args.end()) {
      std::fprintf(stderr, "unknown option %s\n", argv[i]);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    it->second = std::stoi(argv[i + 1]);
  }
  ok(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) ok(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ok(ncclCommInitRank(&comm, world, id, rank));
  float loss = 0;
  double seconds = 0;
  {
    Pipeline pipeline(rank, world, args["--micro"], args["--width"], comm);
    for (int s = 0; s < args["--steps"]; ++s) {
      MPI_Barrier(MPI_COMM_WORLD);
      double t = MPI_Wtime();
      loss = pipeline.forward();
      seconds = MPI_Wtime() - t;
    }
  }
  double want = 0;
  for (int m = 0; m < args["--micro"]; ++m)
    for (int i = 0; i < args["--width"]; ++i) {
      double v = 0.001f * ((i * 17 + m * 5) % 1000);
      for (int r = 0; r < world; ++r) v = std::tanh((1.0 + 0.1 * r) * v + 0.05);
      want += v * v;
    }
  const bool good = std::fabs(want - loss) <= 1e-3 * want;
  if (rank == 0) std::printf("loss %.4f in %.3f ms, loss matches: %s\n", loss, seconds * 1e3, good ? "yes" : "no");
  ncclCommDestroy(comm);
  MPI_Finalize();
  return good ? 0 : 1;
}
