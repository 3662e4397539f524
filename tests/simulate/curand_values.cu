// cuRAND's own numbers: the first of XORWOW, Philox and MRG32k3a with seed 1234, far streams and offsets, from kernels and
// from the host's generators in their order over streams. The values are those that NVIDIA's library 10.4 gives.
// ranks: 1
// expect: ok
// expect: 0 wrong
#include <curand.h>
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                  \
  do {                                                               \
    if (int result_ = static_cast<int>(call)) {                      \
      std::printf("%s:%d: error %d\n", __FILE__, __LINE__, result_); \
      std::exit(1);                                                  \
    }                                                                \
  } while (0)

struct Place {
  unsigned long long sequence, offset;
  unsigned first, second;
};

template <class State>
__global__ void draw(const Place* places, unsigned* out, float* uniform, float* normal) {
  State state;
  curand_init(1234, places[threadIdx.x].sequence, places[threadIdx.x].offset, &state);
  out[2 * threadIdx.x] = curand(&state);
  out[2 * threadIdx.x + 1] = curand(&state);
  if (threadIdx.x != 0) return;
  curand_init(1234, 0, 0, &state);
  *uniform = curand_uniform(&state);
  curand_init(1234, 0, 0, &state);
  normal[0] = curand_normal(&state), normal[1] = curand_normal(&state);
}

template <class State>
long check_kernel(const std::vector<Place>& wanted, float uniform, float normal0, float normal1) {
  size_t count = wanted.size();
  Place* places;
  unsigned* numbers;
  float* floats;
  CHECK(cudaMalloc(&places, count * sizeof(Place)));
  CHECK(cudaMalloc(&numbers, 2 * count * sizeof(unsigned)));
  CHECK(cudaMalloc(&floats, 3 * sizeof(float)));
  CHECK(cudaMemcpy(places, wanted.data(), count * sizeof(Place), cudaMemcpyHostToDevice));
  draw<State><<<1, count>>>(places, numbers, floats, floats + 1);
  std::vector<unsigned> got(2 * count);
  float got_floats[3];
  CHECK(cudaMemcpy(got.data(), numbers, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(got_floats, floats, sizeof got_floats, cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (size_t i = 0; i < count; i++) wrong += got[2 * i] != wanted[i].first || got[2 * i + 1] != wanted[i].second;
  wrong += got_floats[0] != uniform;
  wrong += std::fabs(got_floats[1] - normal0) > 1e-6f || std::fabs(got_floats[2] - normal1) > 1e-6f;
  CHECK(cudaFree(places));
  CHECK(cudaFree(numbers));
  CHECK(cudaFree(floats));
  return wrong;
}

struct Number {
  size_t index;
  unsigned value;
};

template <class T, class Generate>
std::vector<T> generated(curandRngType_t type, size_t count, unsigned long long offset, Generate generate) {
  curandGenerator_t generator;
  cudaStream_t stream;
  T* device;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&device, count * sizeof(T)));
  CHECK(curandCreateGenerator(&generator, type));
  CHECK(curandSetStream(generator, stream));
  CHECK(curandSetPseudoRandomGeneratorSeed(generator, 1234));
  CHECK(curandSetGeneratorOffset(generator, offset));
  CHECK(generate(generator, device, count));
  std::vector<T> host(count);
  CHECK(cudaMemcpyAsync(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(curandDestroyGenerator(generator));
  CHECK(cudaFree(device));
  CHECK(cudaStreamDestroy(stream));
  return host;
}

long check_integers(curandRngType_t type, const std::vector<Number>& wanted, unsigned third_by_offset) {
  std::vector<unsigned> got = generated<unsigned>(type, 300000, 0, curandGenerate);
  long wrong = 0;
  for (const Number& number : wanted) wrong += got[number.index] != number.value;
  return wrong + (generated<unsigned>(type, 4, 3, curandGenerate)[0] != third_by_offset);
}

long check_doubles(curandRngType_t type, double first, double third, double normal0, double normal8192) {
  std::vector<double> uniform = generated<double>(type, 20000, 0, curandGenerateUniformDouble);
  auto normal = [](curandGenerator_t generator, double* out, size_t count) {
    return curandGenerateNormalDouble(generator, out, count, 0, 1);
  };
  std::vector<double> got = generated<double>(type, 20000, 0, normal);
  return (uniform[0] != first) + (uniform[2] != third) + (std::fabs(got[0] - normal0) > 1e-8) +
         (std::fabs(got[8192] - normal8192) > 1e-8);
}

// The states go on from call to call: normal numbers after 4096 uniform ones are of the streams' second numbers.
long check_continuation() {
  float uniform[4096], normal[4];
  curandGenerator_t generator;
  CHECK(curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_DEFAULT));
  CHECK(curandSetPseudoRandomGeneratorSeed(generator, 1234));
  CHECK(curandGenerateUniform(generator, uniform, 4096));
  CHECK(curandGenerateNormal(generator, normal, 4, 0, 1));
  long wrong = curandGenerateNormal(generator, normal, 3, 0, 1) != CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  CHECK(curandDestroyGenerator(generator));
  wrong += uniform[0] != 0.145467639f || uniform[1] != 0.820180893f;
  return wrong + (std::fabs(normal[0] + 0.936753f) > 1e-5f) + (std::fabs(normal[3] + 0.389907f) > 1e-5f);
}

long check_poisson() {
  auto poisson = [](curandGenerator_t generator, unsigned* out, size_t count) {
    return curandGeneratePoisson(generator, out, count, 10);
  };
  double sum = 0, squares = 0;
  for (unsigned value : generated<unsigned>(CURAND_RNG_PSEUDO_PHILOX4_32_10, 20000, 0, poisson))
    sum += value, squares += double(value) * value;
  double mean = sum / 20000, variance = squares / 20000 - mean * mean;
  return std::fabs(mean - 10) > 0.1 || std::fabs(variance - 10) > 0.4;
}

int main() {
  long wrong = 0;
  wrong += check_kernel<curandState>({{0, 0, 624778773u, 1867875844u},
                                      {1, 0, 3522650202u, 3978931785u},
                                      {4095, 0, 3856448218u, 4244315369u},
                                      {0, 4096, 1427110810u, 1842709402u},
                                      {77, 1000000007ull, 2569640627u, 2659691685u}},
                                     0.145467639f, 0.780973554f, -1.80157816f);
  wrong += check_kernel<curandStatePhilox4_32_10_t>({{0, 0, 546353992u, 3665621163u},
                                                     {1, 0, 3507855656u, 1392278645u},
                                                     {0, 1, 3665621163u, 1140953199u},
                                                     {77, 1000000007ull, 640384054u, 1113641221u}},
                                                    0.12720795f, -1.61649048f, 1.22915542f);
  wrong += check_kernel<curandStateMRG32k3a_t>({{0, 0, 3379073520u, 2521876100u},
                                                {1, 0, 653317650u, 2890950871u},
                                                {4095, 0, 2824556536u, 738042739u},
                                                {77, 1000000007ull, 3512555604u, 1558846304u}},
                                               0.786751866f, -0.360653788f, -0.591281295f);
  wrong += check_integers(CURAND_RNG_PSEUDO_XORWOW, {{0, 624778773u}, {1, 3522650202u}, {4096, 1867875844u},
                                                     {65537, 1471929200u}, {262144, 1080851290u}}, 1266286439u);
  wrong += check_integers(CURAND_RNG_PSEUDO_MRG32K3A, {{1, 653317650u}, {4096, 2648318237u}, {81920, 2521876100u},
                                                       {262145, 2716052427u}}, 4237272334u);
  wrong += check_integers(CURAND_RNG_PSEUDO_PHILOX4_32_10, {{3, 3419031310u}, {4, 3507855656u}, {16384, 3711873990u},
                                                            {262144, 2666454581u}}, 3419031310u);
  wrong += check_doubles(CURAND_RNG_PSEUDO_XORWOW, 0.43489880438841294, 0.81184521113001917, 0.358739799, -1.01218608);
  wrong += check_doubles(CURAND_RNG_PSEUDO_MRG32K3A, 0.78675186271572939, 0.93418219691237425, -0.360653646,
                         0.0625285335);
  wrong += check_doubles(CURAND_RNG_PSEUDO_PHILOX4_32_10, 0.85346899543001431, 0.11227557330034327, -0.539526696,
                         0.45168671);
  wrong += check_continuation() + check_poisson();
  curandGenerator_t generator;
  wrong += curandCreateGenerator(&generator, CURAND_RNG_QUASI_SOBOL32) != CURAND_STATUS_TYPE_ERROR;
  std::printf("%ld wrong\n", wrong);
  return wrong != 0;
}
