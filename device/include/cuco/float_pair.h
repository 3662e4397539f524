// The operators and intrinsics that half and bfloat16 have in common. Each operation computes in float and rounds once;
// fused multiply-add computes in double.
#pragma once

#define CUCO_FLOAT16(H, H2)                                                                                \
  CUCO_BOTH H operator+(const H& a, const H& b) { return H((float)a + (float)b); }                         \
  CUCO_BOTH H operator-(const H& a, const H& b) { return H((float)a - (float)b); }                         \
  CUCO_BOTH H operator*(const H& a, const H& b) { return H((float)a * (float)b); }                         \
  CUCO_BOTH H operator/(const H& a, const H& b) { return H((float)a / (float)b); }                         \
  CUCO_BOTH H operator-(const H& a) { return H(-(float)a); }                                               \
  CUCO_BOTH H& operator+=(H& a, const H& b) { return a = a + b; }                                          \
  CUCO_BOTH H& operator-=(H& a, const H& b) { return a = a - b; }                                          \
  CUCO_BOTH H& operator*=(H& a, const H& b) { return a = a * b; }                                          \
  CUCO_BOTH H& operator/=(H& a, const H& b) { return a = a / b; }                                          \
  CUCO_BOTH bool operator==(const H& a, const H& b) { return (float)a == (float)b; }                       \
  CUCO_BOTH bool operator!=(const H& a, const H& b) { return (float)a != (float)b; }                       \
  CUCO_BOTH bool operator<(const H& a, const H& b) { return (float)a < (float)b; }                         \
  CUCO_BOTH bool operator<=(const H& a, const H& b) { return (float)a <= (float)b; }                       \
  CUCO_BOTH bool operator>(const H& a, const H& b) { return (float)a > (float)b; }                         \
  CUCO_BOTH bool operator>=(const H& a, const H& b) { return (float)a >= (float)b; }                       \
  CUCO_BOTH H __hadd(H a, H b) { return a + b; }                                                           \
  CUCO_BOTH H __hsub(H a, H b) { return a - b; }                                                           \
  CUCO_BOTH H __hmul(H a, H b) { return a * b; }                                                           \
  CUCO_BOTH H __hdiv(H a, H b) { return a / b; }                                                           \
  CUCO_BOTH H __hneg(H a) { return -a; }                                                                   \
  CUCO_BOTH H __habs(H a) { return H(__builtin_fabsf((float)a)); }                                         \
  CUCO_BOTH H __hfma(H a, H b, H c) { return H((double)(float)a * (double)(float)b + (double)(float)c); }   \
  CUCO_BOTH H __hmax(H a, H b) { return H(__builtin_fmaxf((float)a, (float)b)); }                          \
  CUCO_BOTH H __hmin(H a, H b) { return H(__builtin_fminf((float)a, (float)b)); }                          \
  CUCO_BOTH bool __heq(H a, H b) { return a == b; }                                                        \
  CUCO_BOTH bool __hne(H a, H b) { return a != b; }                                                        \
  CUCO_BOTH bool __hlt(H a, H b) { return a < b; }                                                         \
  CUCO_BOTH bool __hle(H a, H b) { return a <= b; }                                                        \
  CUCO_BOTH bool __hgt(H a, H b) { return a > b; }                                                         \
  CUCO_BOTH bool __hge(H a, H b) { return a >= b; }                                                        \
  CUCO_BOTH bool __hisnan(H a) { return (float)a != (float)a; }                                            \
  CUCO_BOTH H hexp(H a) { return H(expf((float)a)); }                                                      \
  CUCO_BOTH H hlog(H a) { return H(logf((float)a)); }                                                      \
  CUCO_BOTH H hsqrt(H a) { return H(sqrtf((float)a)); }                                                    \
  CUCO_BOTH H hrsqrt(H a) { return H(1.0f / sqrtf((float)a)); }                                            \
  CUCO_BOTH H hrcp(H a) { return H(1.0f / (float)a); }                                                     \
  CUCO_BOTH H htanh(H a) { return H(tanhf((float)a)); }                                                    \
  CUCO_BOTH H2 operator+(const H2& a, const H2& b) { return {a.x + b.x, a.y + b.y}; }                      \
  CUCO_BOTH H2 operator-(const H2& a, const H2& b) { return {a.x - b.x, a.y - b.y}; }                      \
  CUCO_BOTH H2 operator*(const H2& a, const H2& b) { return {a.x * b.x, a.y * b.y}; }                      \
  CUCO_BOTH H2 operator/(const H2& a, const H2& b) { return {a.x / b.x, a.y / b.y}; }                      \
  CUCO_BOTH H2& operator+=(H2& a, const H2& b) { return a = a + b; }                                       \
  CUCO_BOTH H2& operator*=(H2& a, const H2& b) { return a = a * b; }                                       \
  CUCO_BOTH H2 __hadd2(H2 a, H2 b) { return a + b; }                                                       \
  CUCO_BOTH H2 __hsub2(H2 a, H2 b) { return a - b; }                                                       \
  CUCO_BOTH H2 __hmul2(H2 a, H2 b) { return a * b; }                                                       \
  CUCO_BOTH H2 __h2div(H2 a, H2 b) { return a / b; }                                                       \
  CUCO_BOTH H2 __hmax2(H2 a, H2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }                        \
  CUCO_BOTH H2 __hmin2(H2 a, H2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }                        \
  CUCO_BOTH H2 __hfma2(H2 a, H2 b, H2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }        \
  CUCO_DEVICE H atomicAdd(H* address, H val) { H old = *address; *address = old + val; return old; }       \
  CUCO_DEVICE H2 atomicAdd(H2* address, H2 val) { H2 old = *address; *address = old + val; return old; }
