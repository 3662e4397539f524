// Inputs of every type and distribution, copied to outputs bit by bit: what is drawn on a GPU is what is drawn on a
// host.
#include <cuda_runtime.h>

#include "cuco/harness.h"
#include "ranks.h"

__global__ void copy_bytes(const unsigned char* from, unsigned char* to, size_t bytes) {
  size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < bytes) to[i] = from[i];
}

struct Pair {
  void *from, *to;
  size_t bytes;
};

class Pairs {
 public:
  explicit Pairs(cuco::Harness& harness) : harness_(harness) {}

  template <typename T>
  void add(const char* in, const char* out, cuco::Distribution distribution) {
    size_t count = static_cast<size_t>(harness_.parameter("count", 2000));
    T *from = allocate<T>(count), *to = allocate<T>(count);
    harness_.input(in, from, count, distribution);
    harness_.output(out, to, count, cuco::exact());
    pairs_[used_++] = {from, to, count * sizeof(T)};
  }

  void copy_all(cudaStream_t stream) const {
    for (int i = 0; i < used_; i++) {
      const Pair& pair = pairs_[i];
      unsigned blocks = static_cast<unsigned>((pair.bytes + 255) / 256);
      copy_bytes<<<blocks, 256, 0, stream>>>(static_cast<unsigned char*>(pair.from),
                                             static_cast<unsigned char*>(pair.to), pair.bytes);
    }
    CHECK(cudaStreamSynchronize(stream));
  }

  void free_all() {
    for (int i = 0; i < used_; i++) {
      CHECK(cudaFree(pairs_[i].from));
      CHECK(cudaFree(pairs_[i].to));
    }
  }

 private:
  cuco::Harness& harness_;
  Pair pairs_[16] = {};
  int used_ = 0;
};

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  cuco::Harness harness(ranks.rank, ranks.count, argc, argv);
  Pairs pairs(harness);
  pairs.add<int8_t>("int8", "int8_out", cuco::integers(-100, 100));
  pairs.add<uint8_t>("uint8", "uint8_out", cuco::integers(0, 255));
  pairs.add<int32_t>("int32", "int32_out", cuco::integers(-100000, 100000));
  pairs.add<uint32_t>("uint32", "uint32_out", cuco::uniform(0, 4e9));
  pairs.add<int64_t>("int64", "int64_out", cuco::uniform(-1e15, 1e15));
  pairs.add<uint64_t>("uint64", "uint64_out", cuco::integers(0, 1000));
  pairs.add<float>("float", "float_out", cuco::normal(0.1, 3));
  pairs.add<double>("double", "double_out", cuco::normal(-2, 0.3));
  pairs.add<__half>("half", "half_out", cuco::normal(0, 1));
  pairs.add<__nv_bfloat16>("bfloat", "bfloat_out", cuco::uniform(-1e-3, 7));
  pairs.add<__nv_fp8_e4m3>("e4m3", "e4m3_out", cuco::normal(0, 200));
  pairs.add<__nv_fp8_e5m2>("e5m2", "e5m2_out", cuco::normal(0, 1e-3));
  harness.run([&] { pairs.copy_all(ranks.stream); });
  pairs.free_all();
}
