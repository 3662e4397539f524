// Per-thread random numbers. One counter-based generator (our own mixing function) stands behind every state type:
// reproducible, not the vendor's sequence.
#pragma once

#include "cuda_runtime.h"

#ifdef CUCO_CUDA_SOURCE
struct curandStateXORWOW { unsigned long long key, counter; };
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandStatePhilox4_32_10_t;

CUCO_BOTH void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                           curandState* state) {
  state->key = seed * 0x9e3779b97f4a7c15ull ^ sequence * 0xd1b54a32d192ed03ull;
  state->counter = offset;
}
CUCO_BOTH unsigned int curand(curandState* state) {
  unsigned long long mixed = state->key + ++state->counter * 0x9e3779b97f4a7c15ull;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
  return (unsigned int)(mixed >> 32);
}
CUCO_BOTH float curand_uniform(curandState* state) { return ((curand(state) >> 8) + 1) * (1.0f / 16777216.0f); }
CUCO_BOTH double curand_uniform_double(curandState* state) { return (curand(state) + 1.0) * (1.0 / 4294967296.0); }
CUCO_BOTH float curand_normal(curandState* state) {
  float radius = sqrtf(-2.0f * logf(curand_uniform(state)));
  return radius * cosf(6.28318531f * curand_uniform(state));
}
CUCO_BOTH float4 curand_uniform4(curandState* state) {
  float x = curand_uniform(state), y = curand_uniform(state), z = curand_uniform(state);
  return float4{x, y, z, curand_uniform(state)};
}
#endif
