// Types of elements under names of the program and of libraries.
// expect: element a float
// expect: element b __half
// expect: element c unsigned int
// expect: element d uint32_t
// expect: element e float2
// expect: element f Pair
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cufft.h>

#include <cstdint>

typedef float real;
using Scalar = half;
typedef unsigned int Value;
typedef uint32_t Word;
typedef struct {
  int first, second;
} Pair;

int main() {
  real* a;
  Scalar* b;
  Value* c;
  Word* d;
  cufftComplex* e;
  Pair* f;
  cudaMalloc(&a, 16);
  cudaMalloc(&b, 16);
  cudaMalloc(&c, 16);
  cudaMalloc(&d, 16);
  cudaMalloc(&e, 16);
  cudaMalloc(&f, 16);
}
