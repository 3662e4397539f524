// PTX texts with registers and predicates of their own, shared addresses in 32 bits, conversions and approximations.
// ranks: 1
// expect: ok
// expect: 0 wrong
#include <cstdint>
#include <cstdio>

__device__ uint32_t shared_address(const void* pointer) {
  uint32_t address;
  asm("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }" : "=r"(address) : "l"(pointer));
  return address;
}

// Copies 16 bytes, or leaves the target as it is.
__device__ void copy_if(void* target, const void* source, bool wanted) {
  asm volatile(
      "{\n"
      "  .reg .pred p;\n"
      "  setp.ne.b32 p, %0, 0;\n"
      "  @p cp.async.cg.shared.global.L2::128B [%1], [%2], 16;\n"
      "}\n" ::"r"((int)wanted),
      "r"(shared_address(target)), "l"(source));
}

// Copies 16 bytes, or zeros.
__device__ void copy_or_zero(void* target, const void* source, bool wanted) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(target)), "l"(source), "n"(16),
               "r"(wanted ? 16 : 0));
}

__global__ void stage(const float4* in, float4* out) {
  __shared__ __align__(16) float4 tile[64];
  int thread = threadIdx.x;
  tile[thread] = make_float4(9, 9, 9, 9);
  __syncthreads();
  if (thread < 32)
    copy_if(&tile[thread], &in[thread], thread % 2 == 0);
  else
    copy_or_zero(&tile[thread], &in[thread], thread % 2 == 0);
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group %0;" ::"n"(0) : "memory");
  __syncthreads();
  out[thread] = tile[63 - thread];
}

__global__ void compute(float* values, uint32_t* bits) {
  float power, tangent;
  asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(3.0f));
  asm volatile("tanh.approx.f32 %0, %1;" : "=f"(tangent) : "f"(0.0f));
  asm volatile("cvt.rn.bf16x2.f32 %0, %2, %1;" : "=r"(bits[0]) : "f"(1.0f), "f"(2.0f));
  asm volatile("{ .reg .pred big; setp.gt.s32 big, %1, 3; @!big mov.u32 %0, 5; }" : "+r"(bits[1]) : "r"(2));
  values[0] = power;
  values[1] = tangent;
}

int main() {
  float4 *in, *out;
  float* values;
  uint32_t* bits;
  cudaMallocManaged(&in, 64 * sizeof(float4));
  cudaMallocManaged(&out, 64 * sizeof(float4));
  cudaMallocManaged(&values, 2 * sizeof(float));
  cudaMallocManaged(&bits, 2 * sizeof(uint32_t));
  for (int i = 0; i < 64; i++) in[i] = make_float4(i, 0, 0, 0);
  bits[1] = 0;
  stage<<<1, 64>>>(in, out);
  compute<<<1, 1>>>(values, bits);
  cudaDeviceSynchronize();
  int wrong = (values[0] != 8) + (values[1] != 0) + (bits[0] != 0x40003f80u) + (bits[1] != 5);
  for (int i = 0; i < 64; i++) {
    int from = 63 - i;
    wrong += out[i].x != (from % 2 == 0 ? from : from < 32 ? 9 : 0);
  }
  for (void* memory : {(void*)in, (void*)out, (void*)values, (void*)bits}) cudaFree(memory);
  std::printf("%d wrong\n", wrong);
  return wrong;
}
