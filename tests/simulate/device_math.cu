// Directed roundings, lanes of a word, and the functions that only CUDA's math library has.
// ranks: 1
// expect: ok
// expect: 0 wrong
#include <cstdio>

#define WRONG(condition) \
  if (!(condition)) wrong++, printf("line %d\n", __LINE__)

__global__ void check(int* result) {
  int wrong = 0;
  WRONG(__fadd_ru(1.0f, 1e-10f) > 1.0f && __fadd_rd(1.0f, 1e-10f) == 1.0f && __fadd_rz(-1.0f, -1e-10f) == -1.0f);
  WRONG(__fdiv_rd(1.0f, 3.0f) < __fdiv_ru(1.0f, 3.0f) && __fmul_rz(0.1f, 0.1f) <= __fmul_ru(0.1f, 0.1f));
  WRONG(__dadd_rd(1.0, -1e-30) < 1.0 && __dsqrt_ru(2.0) > __dsqrt_rd(2.0) && __fsqrt_rz(4.0f) == 2.0f);
  WRONG(__double2float_rz(0.1) <= __double2float_ru(0.1) && __int2float_rz(16777219) == 16777218.0f);
  WRONG(__int2float_ru(16777219) == 16777220.0f && __fmaf_ru(1.0f, 1.0f, 1e-10f) > 1.0f);
  WRONG(__vadd4(0x01ff7f80u, 0x01010101u) == 0x02008081u && __vaddus4(0x01ff7f80u, 0x01010101u) == 0x02ff8081u);
  WRONG(__vmaxs2(0x8000ffffu, 0x00010001u) == 0x00010001u && __vcmpgtu2(0x8000ffffu, 0x00010001u) == 0xffffffffu);
  WRONG(__vsadu4(0x01020304u, 0x04030201u) == 8 && __vabsss2(0x80000001u) == 0x7fff0001u && __vsetne4(1, 0) == 1);
  WRONG(__vimax3_s32(-1, 5, 3) == 5 && __viaddmin_s32_relu(-4, 1, 7) == 0);
  WRONG(fabs(erfinv(0.5) - 0.47693627620446987) < 1e-14 && fabs(normcdfinv(0.975) - 1.9599639845400545) < 1e-12);
  WRONG(fabs(erfc(erfcinv(1e-12)) - 1e-12) < 1e-24 && fabs(erfcx(30.0) - 0.018795888861416752) < 1e-12);
  WRONG(fabs(cyl_bessel_i0(1.0) - 1.2660658777520084) < 1e-14 && fabsf(rnorm4df(1, 1, 1, 1) - 0.5f) < 1e-6f);
  WRONG(__dp2a_lo(0x00020003, 0x0504, 1) == 1 + 3 * 4 + 2 * 5 && __funnelshift_rc(1, 2, 40) == 2);
  __shared__ int in_shared;
  in_shared = 1;
  WRONG(__isShared(&in_shared) && __isGlobal(result));
  *result = wrong;
}

int main() {
  int *out, wrong;
  cudaMalloc(&out, sizeof(int));
  check<<<1, 1>>>(out);
  cudaMemcpy(&wrong, out, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(out);
  std::printf("%d wrong\n", wrong);
  return wrong;
}
