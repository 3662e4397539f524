// Random numbers in kernels: XORWOW, Philox4x32-10 and MRG32k3a with the vendor's sequences. Integers and uniform numbers are
// the same to the bit; normal ones follow the same formulas and differ by what logf and sinf differ. Poisson numbers of
// a mean below 64 are the vendor's; above, they are drawn by a normal approximation of our own.
// The runner's host API (vcluster/runtime/api/libraries/random.cpp) draws from the same functions.
#pragma once

#include <math.h>

#include "cuda_runtime.h"

#define CUCO_RANDOM static __host__ __device__ __inline__

// Applies 2^log2_steps steps of a generator `count` times: what curand_init and skipahead need. The runner's.
extern "C" {
__host__ __device__ void cuco_xorwow_skip(unsigned int v[5], unsigned long long count, int log2_steps);
__host__ __device__ void cuco_mrg32k3a_skip(unsigned int s1[3], unsigned int s2[3], unsigned long long count,
                                            int log2_steps);
}

// A second number that the last call of a normal distribution made, and of which kind it is: 0 none, 1 normal, 2 its
// exponential.
struct cuco_random_spare {
  int kind, kind_double;
  float value;
  double value_double;
};

struct curandStateXORWOW {
  unsigned int d, v[5];
  cuco_random_spare spare;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;
  cuco_random_spare spare;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  cuco_random_spare spare;
};
typedef curandStateMRG32k3a curandStateMRG32k3a_t;

// XORWOW: Marsaglia's xorshift of five words and a Weyl sequence.
CUCO_RANDOM unsigned int curand(curandStateXORWOW* state) {
  unsigned int t = state->v[0] ^ state->v[0] >> 2;
  for (int i = 0; i < 4; i++) state->v[i] = state->v[i + 1];
  state->v[4] = (state->v[4] ^ state->v[4] << 4) ^ (t ^ t << 1);
  state->d += 362437u;
  return state->v[4] + state->d;
}
CUCO_RANDOM void skipahead(unsigned long long n, curandStateXORWOW* state) {
  cuco_xorwow_skip(state->v, n, 0);
  state->d += 362437u * (unsigned int)n;
}
CUCO_RANDOM void skipahead_sequence(unsigned long long n, curandStateXORWOW* state) {
  cuco_xorwow_skip(state->v, n, 67);
}
CUCO_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                             curandStateXORWOW* state) {
  unsigned int low = 1099087573u * ((unsigned int)seed ^ 0xaad26b49u);
  unsigned int high = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xf7dcefddu);
  state->d = 6615241u + high + low;
  state->v[0] = 123456789u + low;
  state->v[1] = 362436069u ^ low;
  state->v[2] = 521288629u + high;
  state->v[3] = 88675123u ^ high;
  state->v[4] = 5783321u + low;
  state->spare = cuco_random_spare();
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

// Philox4x32-10: ten rounds over a counter; four numbers each.
CUCO_RANDOM uint4 cuco_philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; round++) {
    unsigned long long first = 0xd2511f53ull * counter.x, second = 0xcd9e8d57ull * counter.z;
    counter = make_uint4((unsigned int)(second >> 32) ^ counter.y ^ key.x, (unsigned int)second,
                         (unsigned int)(first >> 32) ^ counter.w ^ key.y, (unsigned int)first);
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return counter;
}
CUCO_RANDOM void cuco_philox_add(curandStatePhilox4_32_10* state, unsigned long long low, unsigned long long high) {
  unsigned long long below = (unsigned long long)state->ctr.y << 32 | state->ctr.x;
  unsigned long long above = (unsigned long long)state->ctr.w << 32 | state->ctr.z;
  below += low;
  above += high + (below < low);
  state->ctr = make_uint4((unsigned int)below, (unsigned int)(below >> 32), (unsigned int)above,
                          (unsigned int)(above >> 32));
  state->output = cuco_philox(state->ctr, state->key);
}
CUCO_RANDOM unsigned int cuco_philox_number(uint4 numbers, unsigned int index) {
  return index == 0 ? numbers.x : index == 1 ? numbers.y : index == 2 ? numbers.z : numbers.w;
}
CUCO_RANDOM unsigned int curand(curandStatePhilox4_32_10* state) {
  unsigned int number = cuco_philox_number(state->output, state->STATE++);
  if (state->STATE == 4) {
    cuco_philox_add(state, 1, 0);
    state->STATE = 0;
  }
  return number;
}
CUCO_RANDOM uint4 curand4(curandStatePhilox4_32_10* state) {
  unsigned int x = curand(state), y = curand(state), z = curand(state);
  return make_uint4(x, y, z, curand(state));
}
CUCO_RANDOM void skipahead(unsigned long long n, curandStatePhilox4_32_10* state) {
  unsigned int index = state->STATE + (unsigned int)(n & 3);
  state->STATE = index & 3;
  cuco_philox_add(state, n / 4 + (index > 3), 0);
}
CUCO_RANDOM void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* state) {
  cuco_philox_add(state, 0, n);
}
CUCO_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                             curandStatePhilox4_32_10* state) {
  state->ctr = make_uint4(0, 0, 0, 0);
  state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
  state->STATE = 0;
  state->spare = cuco_random_spare();
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

// MRG32k3a of L'Ecuyer: two recurrences modulo primes near 2^32.
#define CUCO_MRG_M1 4294967087ull
#define CUCO_MRG_M2 4294944443ull
CUCO_RANDOM double curand_MRG32k3a(curandStateMRG32k3a* state) {
  unsigned long long p1 = (1403580ull * state->s1[1] + 810728ull * (CUCO_MRG_M1 - state->s1[0])) % CUCO_MRG_M1;
  unsigned long long p2 = (527612ull * state->s2[2] + 1370589ull * (CUCO_MRG_M2 - state->s2[0])) % CUCO_MRG_M2;
  for (int i = 0; i < 2; i++) state->s1[i] = state->s1[i + 1], state->s2[i] = state->s2[i + 1];
  state->s1[2] = (unsigned int)p1;
  state->s2[2] = (unsigned int)p2;
  return p1 <= p2 ? (double)(p1 + CUCO_MRG_M1 - p2) : (double)(p1 - p2);
}
CUCO_RANDOM unsigned int curand(curandStateMRG32k3a* state) {
  return (unsigned int)(curand_MRG32k3a(state) * 1.000000048662);
}
CUCO_RANDOM void skipahead(unsigned long long n, curandStateMRG32k3a* state) {
  cuco_mrg32k3a_skip(state->s1, state->s2, n, 0);
}
CUCO_RANDOM void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a* state) {
  cuco_mrg32k3a_skip(state->s1, state->s2, n, 76);
}
CUCO_RANDOM void skipahead_sequence(unsigned long long n, curandStateMRG32k3a* state) {
  cuco_mrg32k3a_skip(state->s1, state->s2, n, 127);
}
CUCO_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                             curandStateMRG32k3a* state) {
  unsigned long long low = (unsigned int)seed ^ 0x55555555u, high = (unsigned int)(seed >> 32) ^ 0xaaaaaaaau;
  for (int i = 0; i < 3; i++) {
    unsigned long long first = i == 1 ? high : low, second = i == 1 ? low : high;
    state->s1[i] = seed ? (unsigned int)(first * 12345ull % CUCO_MRG_M1) : 12345u;
    state->s2[i] = seed ? (unsigned int)(second * 12345ull % CUCO_MRG_M2) : 12345u;
  }
  state->spare = cuco_random_spare();
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
}

// Uniform in (0, 1].
#define CUCO_2POW32_INVERSE 2.3283064e-10f
#define CUCO_2POW53_INVERSE 1.1102230246251565e-16
CUCO_RANDOM float cuco_uniform_of(unsigned int x) { return x * CUCO_2POW32_INVERSE + CUCO_2POW32_INVERSE / 2.0f; }
CUCO_RANDOM double cuco_uniform_double_of(unsigned int x) {
  return x * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
CUCO_RANDOM double cuco_uniform_double_of(unsigned int x, unsigned int y) {
  unsigned long long both = (unsigned long long)x ^ (unsigned long long)y << 21;
  return both * CUCO_2POW53_INVERSE + CUCO_2POW53_INVERSE / 2.0;
}
CUCO_RANDOM float curand_uniform(curandStateXORWOW* state) { return cuco_uniform_of(curand(state)); }
CUCO_RANDOM float curand_uniform(curandStatePhilox4_32_10* state) { return cuco_uniform_of(curand(state)); }
CUCO_RANDOM float curand_uniform(curandStateMRG32k3a* state) {
  return (float)(curand_MRG32k3a(state) * 2.3283065498378288e-10);
}
CUCO_RANDOM double curand_uniform_double(curandStateXORWOW* state) {
  unsigned int x = curand(state);
  return cuco_uniform_double_of(x, curand(state));
}
CUCO_RANDOM double curand_uniform_double(curandStatePhilox4_32_10* state) {
  return cuco_uniform_double_of(curand(state));
}
CUCO_RANDOM double curand_uniform_double(curandStateMRG32k3a* state) {
  return curand_MRG32k3a(state) * 2.3283065498378288e-10;
}
CUCO_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  uint4 x = curand4(state);
  return make_float4(cuco_uniform_of(x.x), cuco_uniform_of(x.y), cuco_uniform_of(x.z), cuco_uniform_of(x.w));
}
CUCO_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
  uint4 x = curand4(state);
  return make_double2(cuco_uniform_double_of(x.x, x.y), cuco_uniform_double_of(x.z, x.w));
}

// Normal, by the transformation of Box and Muller: two at a time.
CUCO_RANDOM float2 cuco_box_muller(float u, float v) {
  float s = sqrtf(-2.0f * logf(u));
  return make_float2(s * sinf(v), s * cosf(v));
}
CUCO_RANDOM float2 cuco_box_muller(unsigned int x, unsigned int y) {
  const float turn = 2.3283064e-10f * 6.2831855f;
  return cuco_box_muller(cuco_uniform_of(x), y * turn + turn / 2);
}
CUCO_RANDOM double2 cuco_box_muller_double(double u, double half_turns) {
  double s = sqrt(-2.0 * log(u)), angle = half_turns * 3.1415926535897932;
  return make_double2(s * sin(angle), s * cos(angle));
}
CUCO_RANDOM double2 cuco_box_muller_double(unsigned int x0, unsigned int x1, unsigned int y0, unsigned int y1) {
  unsigned long long y = (unsigned long long)y0 ^ (unsigned long long)y1 << 21;
  return cuco_box_muller_double(cuco_uniform_double_of(x0, x1),
                                y * (CUCO_2POW53_INVERSE * 2.0) + CUCO_2POW53_INVERSE);
}
template <class State>
CUCO_RANDOM float2 curand_normal2(State* state) {
  unsigned int x = curand(state);
  return cuco_box_muller(x, curand(state));
}
CUCO_RANDOM float2 curand_normal2(curandStateMRG32k3a* state) {
  float u = curand_uniform(state);
  return cuco_box_muller(u, curand_uniform(state) * 6.2831855f);
}
template <class State>
CUCO_RANDOM double2 curand_normal2_double(State* state) {
  unsigned int x0 = curand(state), x1 = curand(state), y0 = curand(state);
  return cuco_box_muller_double(x0, x1, y0, curand(state));
}
CUCO_RANDOM double2 curand_normal2_double(curandStateMRG32k3a* state) {
  double u = curand_uniform_double(state);
  return cuco_box_muller_double(u, curand_uniform_double(state) * 2.0);
}
template <class State>
CUCO_RANDOM float curand_normal(State* state) {
  if (state->spare.kind == 1) {
    state->spare.kind = 0;
    return state->spare.value;
  }
  float2 both = curand_normal2(state);
  state->spare.kind = 1, state->spare.value = both.y;
  return both.x;
}
template <class State>
CUCO_RANDOM double curand_normal_double(State* state) {
  if (state->spare.kind_double == 1) {
    state->spare.kind_double = 0;
    return state->spare.value_double;
  }
  double2 both = curand_normal2_double(state);
  state->spare.kind_double = 1, state->spare.value_double = both.y;
  return both.x;
}
CUCO_RANDOM float4 curand_normal4(curandStatePhilox4_32_10* state) {
  uint4 x = curand4(state);
  float2 a = cuco_box_muller(x.x, x.y), b = cuco_box_muller(x.z, x.w);
  return make_float4(a.x, a.y, b.x, b.y);
}

// Log-normal: the exponential of a normal number.
template <class State>
CUCO_RANDOM float2 curand_log_normal2(State* state, float mean, float stddev) {
  float2 both = curand_normal2(state);
  return make_float2(expf(mean + stddev * both.x), expf(mean + stddev * both.y));
}
template <class State>
CUCO_RANDOM float curand_log_normal(State* state, float mean, float stddev) {
  if (state->spare.kind == 2) {
    state->spare.kind = 0;
    return state->spare.value;
  }
  float2 both = curand_log_normal2(state, mean, stddev);
  state->spare.kind = 2, state->spare.value = both.y;
  return both.x;
}
template <class State>
CUCO_RANDOM double curand_log_normal_double(State* state, double mean, double stddev) {
  if (state->spare.kind_double == 2) {
    state->spare.kind_double = 0;
    return state->spare.value_double;
  }
  double2 both = curand_normal2_double(state);
  state->spare.kind_double = 2, state->spare.value_double = exp(mean + stddev * both.y);
  return exp(mean + stddev * both.x);
}
CUCO_RANDOM float4 curand_log_normal4(curandStatePhilox4_32_10* state, float mean, float stddev) {
  float4 x = curand_normal4(state);
  return make_float4(expf(mean + stddev * x.x), expf(mean + stddev * x.y), expf(mean + stddev * x.z),
                     expf(mean + stddev * x.w));
}

// Poisson. Below 64 by Knuth's product of uniform numbers.
template <class State>
CUCO_RANDOM unsigned int curand_poisson(State* state, double lambda) {
  if (lambda < 64) {
    unsigned int count = 0;
    float product = expf((float)lambda);
    do {
      count++;
      product *= curand_uniform(state);
    } while (product > 1.0);
    return count - 1;
  }
  double drawn = lambda + sqrt(lambda) * curand_normal_double(state) + 0.5;
  return drawn < 0 ? 0 : (unsigned int)drawn;
}
