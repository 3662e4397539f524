// Engines and distributions for either side. The engine is the minimal standard one, with a skip; the distributions are
// our own.
#pragma once

#include <math.h>
#include <stdint.h>

#include "cuda_runtime.h"

namespace thrust {
namespace random {

template <class UInt, UInt A, UInt C, UInt M>
class linear_congruential_engine {
 public:
  using result_type = UInt;
  static constexpr UInt min = C == 0 ? 1 : 0, max = M - 1, default_seed = 1;
  __host__ __device__ explicit linear_congruential_engine(UInt value = default_seed) { seed(value); }
  __host__ __device__ void seed(UInt value = default_seed) {
    state_ = value % M;
    if (C == 0 && state_ == 0) state_ = 1;
  }
  __host__ __device__ UInt operator()() { return state_ = (UInt)(((uint64_t)A * state_ + C) % M); }
  // As if called so often: by squaring, of the map x -> a x + c.
  __host__ __device__ void discard(unsigned long long count) {
    uint64_t a = A, c = C, whole_a = 1, whole_c = 0;
    for (; count > 0; count >>= 1) {
      if (count & 1) whole_a = whole_a * a % M, whole_c = (whole_c * a + c) % M;
      c = (a + 1) * c % M;
      a = a * a % M;
    }
    state_ = (UInt)((whole_a * state_ + whole_c) % M);
  }

 private:
  UInt state_;
};
using minstd_rand0 = linear_congruential_engine<uint32_t, 16807, 0, 2147483647>;
using minstd_rand = linear_congruential_engine<uint32_t, 48271, 0, 2147483647>;
using default_random_engine = minstd_rand;

template <class T = double>
class uniform_real_distribution {
 public:
  __host__ __device__ explicit uniform_real_distribution(T a = 0, T b = 1) : a_(a), b_(b) {}
  template <class Engine>
  __host__ __device__ T operator()(Engine& engine) const {
    T share = (T)(engine() - Engine::min) / ((T)(Engine::max - Engine::min) + 1);
    return a_ + share * (b_ - a_);
  }

 private:
  T a_, b_;
};
template <class T = int>
class uniform_int_distribution {
 public:
  __host__ __device__ explicit uniform_int_distribution(T a = 0, T b = 2147483647) : a_(a), b_(b) {}
  template <class Engine>
  __host__ __device__ T operator()(Engine& engine) const {
    double share = (double)(engine() - Engine::min) / ((double)(Engine::max - Engine::min) + 1);
    return (T)(a_ + (long long)floor(share * ((double)b_ - (double)a_ + 1)));
  }

 private:
  T a_, b_;
};
template <class T = double>
class normal_distribution {
 public:
  __host__ __device__ explicit normal_distribution(T mean = 0, T stddev = 1) : mean_(mean), stddev_(stddev) {}
  template <class Engine>
  __host__ __device__ T operator()(Engine& engine) const {
    uniform_real_distribution<double> uniform(0, 1);
    double u = 1 - uniform(engine), v = uniform(engine);
    return (T)(mean_ + stddev_ * sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
  }

 private:
  T mean_, stddev_;
};

}  // namespace random
using random::default_random_engine;
using random::linear_congruential_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::normal_distribution;
using random::uniform_int_distribution;
using random::uniform_real_distribution;
}  // namespace thrust
