// half, bfloat16 and the 8-bit formats, as nccl.h brings them along: conversions in every rounding, arithmetic of one and
// two, comparisons, constants.
// ranks: 1
// expect: ok
// expect: 0 wrong
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_profiler_api.h>
#include <math_constants.h>
#include <nccl.h>

#include <cstdio>

#ifndef __CUDA_BF16_TYPES_EXIST__
#error "nccl.h includes cuda_bf16.h"
#endif

__host__ __device__ int check_half() {
  int wrong = 0;
  half one = __float2half(1.0f), two = 2.0f;
  wrong += __half2float(__hadd(one, two)) != 3.0f;
  wrong += (float)(one / two) != 0.5f;
  wrong += !__hlt(one, two) || __hgtu(one, two) || !__hltu(CUDART_NAN_FP16, two) || __hlt(CUDART_NAN_FP16, two);
  wrong += __half_as_ushort(__float2half_rn(1.0009765f)) != 0x3c01;
  wrong += __half_as_ushort(__float2half_rz(1.0009765f)) != 0x3c00;
  wrong += __half_as_ushort(__float2half_ru(1.0001f)) != 0x3c01 || __half_as_ushort(__float2half_rd(1.0009f)) != 0x3c00;
  wrong += __half_as_ushort(__float2half_ru(-1.0001f)) != 0xbc00 || __half_as_ushort(__float2half_rd(-1.0001f)) != 0xbc01;
  wrong += __half_as_ushort(__float2half_ru(1e-9f)) != 1 || __half_as_ushort(__float2half_rd(1e-9f)) != 0;
  wrong += __half_as_ushort(__float2half_rd(-1e-9f)) != 0x8001;
  wrong += __half_as_ushort(__float2half_rz(1e6f)) != 0x7bff || __half_as_ushort(__float2half_rn(1e6f)) != 0x7c00;
  wrong += __half2int_rn(2.5f) != 2 || __half2int_ru(2.5f) != 3 || __half2int_rd(-2.5f) != -3 || __half2int_rz(-2.5f) != -2;
  wrong += __half2uchar_rz(half(300.0f)) != 255 || __half2ushort_rn(half(-3.0f)) != 0;
  wrong += (float)__int2half_rn(2049) != 2048.0f || (float)__int2half_ru(2049) != 2050.0f;
  wrong += (float)__ll2half_rz(4099) != 4096.0f;
  half2 pair = __floats2half2_rn(1.0f, -2.0f);
  half2 sum = __hadd2(pair, __half2half2(one));
  wrong += __low2float(sum) != 2.0f || __high2float(sum) != -1.0f;
  wrong += __hbge2(pair, sum) || __hge2_mask(sum, pair) != 0xffffffffu;
  wrong += (float)__hfma_relu(two, half(-1.0f), one) != 0.0f || (float)__hadd_sat(two, one) != 1.0f;
  wrong += (float)__low2half(__habs2(__hneg2(pair))) != 1.0f || (float)__lowhigh2highlow(pair).x != -2.0f;
  wrong += (float)hsqrt(half(9.0f)) != 3.0f || (float)h2floor(__float2half2_rn(1.5f)).y != 1.0f;
  wrong += (float)__hmax_nan(CUDART_NAN_FP16, one) == 1.0f || (float)__hmax(CUDART_NAN_FP16, one) != 1.0f;
  return wrong;
}

__host__ __device__ int check_bfloat16() {
  int wrong = 0;
  __nv_bfloat16 x = __float2bfloat16(3.140625f), y = __double2bfloat16(0.5);
  wrong += __bfloat162float(x * y) != 1.5703125f;
  wrong += __bfloat16_as_ushort(__float2bfloat16_rz(1.0078f)) != 0x3f80;
  wrong += __bfloat16_as_ushort(__float2bfloat16_ru(1.0001f)) != 0x3f81;
  wrong += __bfloat162int_rz(__nv_bfloat16(-7.75f)) != -7 || (float)__ull2bfloat16_rn(257ull) != 256.0f;
  __nv_bfloat162 pair = __floats2bfloat162_rn(1.0f, 2.0f);
  wrong += (float)__low2bfloat16(__hmul2(pair, pair)) != 1.0f || __bfloat1622float2(pair + pair).y != 4.0f;
  wrong += __hisinf(CUDART_INF_BF16) != 1 || (float)CUDART_ONE_BF16 != 1.0f || !__hbeq2(pair, pair);
  wrong += (float)__nv_bfloat16(__float2half(1.5f)) != 1.5f;
  wrong += (float)hexp2(__nv_bfloat16(3.0f)) != 8.0f || !(pair == pair);
  return wrong;
}

__host__ __device__ int check_fp8() {
  int wrong = 0;
  wrong += __nv_cvt_float_to_fp8(1000.0f, __NV_SATFINITE, __NV_E4M3) != 0x7e;
  wrong += __nv_cvt_float_to_fp8(1000.0f, __NV_NOSAT, __NV_E4M3) != 0x7f;
  wrong += __nv_cvt_float_to_fp8(1e6f, __NV_NOSAT, __NV_E5M2) != 0x7c || __nv_cvt_float_to_fp8(1e6f, __NV_SATFINITE, __NV_E5M2) != 0x7b;
  wrong += (float)__nv_fp8_e4m3(0.4375f) != 0.4375f || (float)__nv_fp8_e5m2(448.0f) != 448.0f;
  __nv_fp8x4_e4m3 four(make_float4(1, 2, -3, 0.5f));
  wrong += ((float4)four).z != -3.0f || ((float4)four).w != 0.5f;
  __half2 back = __half2(__nv_cvt_fp8x2_to_halfraw2(__nv_cvt_float2_to_fp8x2(make_float2(1.5f, -2.0f), __NV_SATFINITE, __NV_E5M2), __NV_E5M2));
  wrong += (float)back.x != 1.5f || (float)back.y != -2.0f;
  wrong += CUDART_PI_F < 3.14f || !(CUDART_INF_F > 1e38f);
  return wrong;
}

// The codes of all values of e2m1 are known; those of e2m3 and e3m2 at their ends and between.
__host__ __device__ int check_tiny() {
  int wrong = 0;
  const float values[8] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  for (int code = 0; code < 8; code++) {
    wrong += __nv_cvt_float_to_fp4(values[code], __NV_E2M1, cudaRoundNearest) != code;
    wrong += __nv_cvt_float_to_fp4(-values[code], __NV_E2M1, cudaRoundNearest) != (code | 8);
    wrong += (float)__half(__nv_cvt_fp4_to_halfraw(code | 8, __NV_E2M1)) != -values[code];
  }
  wrong += __nv_cvt_float_to_fp4(5.0f, __NV_E2M1, cudaRoundNearest) != 6 || (float)__nv_fp4_e2m1(100.0f) != 6.0f;
  wrong += __nv_cvt_float_to_fp6(7.5f, __NV_E2M3, cudaRoundNearest) != 0x1f || (float)__nv_fp6_e2m3(0.125f) != 0.125f;
  wrong += __nv_cvt_float_to_fp6(-28.0f, __NV_E3M2, cudaRoundNearest) != 0x3f || (float)__nv_fp6_e3m2(0.0625f) != 0.0625f;
  wrong += __nv_cvt_float_to_fp6(0.0f / 0.0f, __NV_E3M2, cudaRoundNearest) != 0x1f;
  wrong += ((float2)__nv_fp6x2_e2m3(make_float2(1.5f, -2.25f))).y != -2.25f;
  wrong += __nv_fp4x2_e2m1(make_float2(1.0f, -6.0f)).__x != 0xf2;
  return wrong;
}

__global__ void check(int* wrong, half* sums) {
  *wrong = check_half() + check_bfloat16() + check_fp8() + check_tiny();
  atomicAdd(sums, half(1.5f));
  atomicAdd((half2*)(sums + 2), __floats2half2_rn(1.0f, 2.0f));
  half mine = half(2.0f);
  *wrong += (float)__shfl_sync(1, mine, 0) != 2.0f;
}

int main() {
  int *wrong, device = 0;
  half* sums;
  half host[4];
  cudaProfilerStart();
  cudaMalloc(&wrong, sizeof(int));
  cudaMalloc(&sums, sizeof host);
  cudaMemset(sums, 0, sizeof host);
  check<<<1, 1>>>(wrong, sums);
  cudaMemcpy(&device, wrong, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(wrong);
  cudaFree(sums);
  device += (float)host[0] != 1.5f || (float)host[3] != 2.0f;
  device += check_half() + check_bfloat16() + check_fp8() + check_tiny();
  std::printf("%d wrong\n", device);
  return device;
}
