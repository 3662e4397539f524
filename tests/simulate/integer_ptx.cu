// PTX: integers with carries, fields of bits, comparisons, conversions, the warp's operations.
// ranks: 1
// expect: ok
// expect: 0 wrong
#include <cstdint>
#include <cstdio>

#define WRONG(condition) \
  if (!(condition)) wrong++, printf("line %d\n", __LINE__)

template <class A, class B>
__device__ bool is(A a, B b) { return a == b; }

__device__ void add128(uint64_t* r, const uint64_t* a, const uint64_t* b) {
  asm("add.cc.u64 %0, %2, %4;\n\taddc.u64 %1, %3, %5;" : "=l"(r[0]), "=l"(r[1]) : "l"(a[0]), "l"(a[1]), "l"(b[0]), "l"(b[1]));
}
__device__ void subtract(uint32_t* r, const uint32_t* a, const uint32_t* b) {
  asm volatile("sub.cc.u32 %0, %1, %2;" : "=r"(r[0]) : "r"(a[0]), "r"(b[0]));
  asm volatile("subc.cc.u32 %0, %1, %2;" : "=r"(r[1]) : "r"(a[1]), "r"(b[1]));
  asm volatile("subc.u32 %0, %1, %2;" : "=r"(r[2]) : "r"(a[2]), "r"(b[2]));
}
__device__ uint64_t multiply(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t low, high;
  asm("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, 0;" : "=r"(low), "=r"(high) : "r"(a), "r"(b), "r"(c));
  return (uint64_t)high << 32 | low;
}

#define OP2(TEXT, R, T, A, B) ([&] { T r; asm(TEXT " %0, %1, %2;" : "=" R(r) : R(A), R(B)); return r; }())
#define OP3(TEXT, R, T, A, B, C) ([&] { T r; asm(TEXT " %0, %1, %2, %3;" : "=" R(r) : R(A), R(B), R(C)); return r; }())
#define OP1(TEXT, RD, T, RS, A) ([&] { T r; asm(TEXT " %0, %1;" : "=" RD(r) : RS(A)); return r; }())

__global__ void check(int* result, const unsigned char* bytes) {
  int wrong = 0;
  uint64_t a[2] = {~0ull, 1}, b[2] = {2, 3}, sum[2];
  add128(sum, a, b);
  WRONG(sum[0] == 1 && sum[1] == 5);
  uint32_t x[3] = {0, 0, 5}, y[3] = {1, 0, 2}, d[3];
  subtract(d, x, y);
  WRONG(d[0] == ~0u && d[1] == ~0u && d[2] == 2);
  WRONG(multiply(0xffffffffu, 0xffffffffu, 0xffffffffu) == 0xffffffff00000000ull);
  WRONG(is(OP2("mul.hi.u32", "r", uint32_t, 0x80000000u, 6u), 3u) && is(OP2("mul.lo.s32", "r", int, -3, 7), -21));
  WRONG(is(OP2("rem.s32", "r", int, -7, 3), -1) && is(OP2("div.u32", "r", uint32_t, 7u, 0u), ~0u));
  WRONG(is(OP2("shr.s32", "r", int, -8, 40), -1) && is(OP2("shl.b32", "r", uint32_t, 1u, 32u), 0u));
  WRONG(is(OP3("bfe.u32", "r", uint32_t, 0xabcd1234u, 8u, 8u), 0x12u) && is(OP3("bfe.s32", "r", int, 0x0000f000, 12, 4), -1));
  uint32_t field;
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(field) : "r"(0xffu), "r"(0u), "r"(4), "r"(8));
  WRONG(field == 0xff0u);
  WRONG(is(OP1("brev.b32", "r", uint32_t, "r", 1u), 0x80000000u) && is(OP1("clz.b32", "r", uint32_t, "r", 1u), 31u));
  WRONG(is(OP1("bfind.u32", "r", uint32_t, "r", 0x100u), 8u) && is(OP1("popc.b64", "r", uint32_t, "l", 0xff00ull), 8u));
  WRONG(is(OP3("prmt.b32", "r", uint32_t, 0x33221100u, 0x77665544u, 0x5140u), 0x55114400u));
  uint32_t logic;
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(logic) : "r"(0xf0f0f0f0u), "r"(0xccccccccu), "r"(0xaaaaaaaau));
  WRONG(logic == (0xf0f0f0f0u ^ 0xccccccccu ^ 0xaaaaaaaau));
  WRONG(is(OP3("shf.l.wrap.b32", "r", uint32_t, 0x80000000u, 1u, 1u), 3u) && is(OP3("sad.s32", "r", int, -2, 3, 1), 6));
  WRONG(is(OP3("dp4a.s32.s32", "r", int, 0x01ff0203, 0x01010101, 10), 10 + 1 - 1 + 2 + 3));
  WRONG(is(OP2("min.s32", "r", int, -5, 3), -5) && is(OP2("max.u32", "r", uint32_t, 5u, 3u), 5u) && is(OP1("neg.s32", "r", int, "r", 4), -4));
  WRONG(is(OP2("add.sat.s32", "r", int, 0x7fffffff, 1), 0x7fffffff) && is(OP2("xor.b64", "l", uint64_t, 5ull, 3ull), 6ull));
  int picked, set;
  asm("{ .reg .pred p, q; setp.lt.and.s32 p|q, %2, %3, 1; selp.s32 %0, 10, 20, p; selp.s32 %1, 1, 0, q; }" : "=r"(picked), "=r"(set) : "r"(-1), "r"(1));
  WRONG(picked == 10 && set == 0);
  asm("set.gt.u32.f32 %0, %1, %2;" : "=r"(set) : "f"(2.0f), "f"(1.0f));
  WRONG(set == -1);
  WRONG(is(OP1("cvt.rni.s32.f32", "r", int, "f", 2.5f), 2) && is(OP1("cvt.rzi.s32.f32", "r", int, "f", -2.7f), -2));
  WRONG(is(OP1("cvt.sat.u8.s32", "r", uint32_t, "r", 300), 255u) && is(OP1("cvt.s32.s8", "r", int, "r", 0xff), -1));
  WRONG(is(OP1("cvt.rn.f32.s32", "f", float, "r", -3), -3.0f) && is(OP1("cvt.u64.u32", "l", uint64_t, "r", ~0u), 0xffffffffull));
  WRONG(is(OP1("cvt.rn.f16.f32", "h", uint16_t, "f", 1.5f), 0x3e00) && is(OP1("cvt.f32.bf16", "f", float, "h", (uint16_t)0x3f80), 1.0f));
  WRONG(is(OP2("add.f16x2", "r", uint32_t, 0x3c003c00u, 0x40003c00u), 0x42004000u) && is(OP3("fma.rn.f32", "f", float, 2.0f, 3.0f, 1.0f), 7.0f));
  uint64_t both;
  uint32_t low, high;
  asm("mov.b64 %0, {%1, %2};" : "=l"(both) : "r"(1u), "r"(2u));
  asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(both));
  WRONG(both == 0x200000001ull && low == 1 && high == 2);
  float added;
  asm("add.f32 %0, %1, 0f3F800000;" : "=f"(added) : "f"(1.0f));
  WRONG(added == 2.0f);
  uint32_t byte;
  int byte_signed;
  asm volatile("ld.global.nc.L1::no_allocate.u8 %0, [%1];" : "=r"(byte) : "l"(bytes));
  asm volatile("ld.global.s8 %0, [%1 + 1];" : "=r"(byte_signed) : "l"(bytes));
  WRONG(byte == 200 && byte_signed == -1);

  unsigned lane = threadIdx.x, mask = ~0u, ballot, same, total, got, leader;
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 4; vote.sync.ballot.b32 %0, p, %2; }" : "=r"(ballot) : "r"(lane), "r"(mask));
  asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(same) : "r"(lane / 8), "r"(mask));
  asm volatile("redux.sync.add.u32 %0, %1, %2;" : "=r"(total) : "r"(lane), "r"(mask));
  asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %1, 1, 31, %2; }" : "=r"(got) : "r"(lane), "r"(mask));
  asm volatile("{ .reg .pred p; elect.sync _|p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(leader) : "r"(mask));
  WRONG(ballot == 15 && same == 0xffu << (lane / 8 * 8) && total == 496 && got == (lane < 31 ? lane + 1 : 31));
  WRONG(leader == (lane == 0));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(bytes));
  atomicAdd(result, wrong);
}

int main() {
  int *out, wrong;
  unsigned char bytes[2] = {200, 255}, *on_device;
  cudaMalloc(&out, sizeof(int));
  cudaMalloc(&on_device, 2);
  cudaMemset(out, 0, sizeof(int));
  cudaMemcpy(on_device, bytes, 2, cudaMemcpyHostToDevice);
  check<<<1, 32>>>(out, on_device);
  cudaMemcpy(&wrong, out, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(out);
  cudaFree(on_device);
  std::printf("%d wrong\n", wrong);
  return wrong;
}
