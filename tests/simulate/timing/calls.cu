// The same reads, next to each other in a warp, behind every kind of call. Argument: which one.
#include <cuda_runtime.h>

#include <cstring>

constexpr int kThreads = 256, kBlocks = 256, kRounds = 64;

__device__ inline float plain(const float* in, int i) { return in[i]; }
__device__ __noinline__ float called(const float* in, int i) { return in[i]; }
__device__ __noinline__ int index_of(int round) { return round * kThreads + threadIdx.x; }

struct Place {
  int i;
};
__device__ __noinline__ float by_reference(const float* in, const Place& place) { return in[place.i]; }

struct Reader {
  virtual __device__ float read(const float* in, int i) const = 0;
};
struct Once : Reader {
  __device__ float read(const float* in, int i) const override { return in[i]; }
};
struct Twice : Reader {
  __device__ float read(const float* in, int i) const override { return 2 * in[i]; }
};

template <int Form>
__global__ void read_all(const float* in, float* out, int which) {
  Once once;
  Twice twice;
  const Reader* reader = which == 0 ? static_cast<const Reader*>(&once) : &twice;
  float (*pointer)(const float*, int) = which == 0 ? plain : called;
  float sum = 0;
  for (int round = 0; round < kRounds; round++) {
    int i = round * kThreads + threadIdx.x;
    if (Form == 0) sum += plain(in, i);
    if (Form == 1) sum += called(in, i);
    if (Form == 2) sum += reader->read(in, i);
    if (Form == 3) sum += pointer(in, i);
    if (Form == 4) sum += in[index_of(round)];
    if (Form == 5) sum += by_reference(in, Place{i});
    if (Form == 6) {
      volatile int kept = i;
      sum += in[kept];
    }
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

int main(int, char** argv) {
  const char* names[] = {"plain", "called", "virtual", "pointer", "result", "reference", "local"};
  void (*kernels[])(const float*, float*, int) = {read_all<0>, read_all<1>, read_all<2>, read_all<3>,
                                                  read_all<4>, read_all<5>, read_all<6>};
  float *in, *out;
  cudaMalloc(&in, kRounds * kThreads * sizeof(float));
  cudaMalloc(&out, kBlocks * kThreads * sizeof(float));
  cudaMemset(in, 0, kRounds * kThreads * sizeof(float));
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin);
  for (int form = 0; form < 7; form++)
    if (std::strcmp(argv[1], names[form]) == 0) kernels[form]<<<kBlocks, kThreads>>>(in, out, 0);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float ms;
  cudaEventElapsedTime(&ms, begin, end);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  cudaFree(in);
  cudaFree(out);
}
