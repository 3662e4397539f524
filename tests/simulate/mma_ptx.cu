// mma.sync of four element types with operands from ldmatrix, cp.async and plain registers, against sums in order.
// ranks: 1
// expect: ok
// expect: 0 wrong
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>
#include <vector>

// D (16x8) = A (16x16, rows) * B (16x8), both staged in shared memory: A by cp.async, both read by ldmatrix.
__global__ void multiply_f16(const __half* a, const __half* b, float* d) {
  __shared__ __align__(16) __half tile_a[16 * 16];
  __shared__ __align__(16) __half tile_b[16 * 8];
  int lane = threadIdx.x;
  unsigned target = (unsigned)__cvta_generic_to_shared(tile_a + lane * 8);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(target), "l"(a + lane * 8));
  asm volatile("cp.async.commit_group;\n");
  asm volatile("cp.async.wait_group 0;\n");
  for (int i = lane; i < 16 * 8; i += 32) tile_b[i] = b[i];
  __syncwarp();
  unsigned ra[4], rb[2];
  unsigned row_a = (unsigned)__cvta_generic_to_shared(tile_a + (lane % 16) * 16 + lane / 16 * 8);
  unsigned row_b = (unsigned)__cvta_generic_to_shared(tile_b + (lane % 16) * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
               : "r"(row_a));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%0, %1}, [%2];"
               : "=r"(rb[0]), "=r"(rb[1])
               : "r"(row_b));
  float c[4] = {1, 1, 1, 1};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  int row = lane / 4, column = lane % 4 * 2;
  d[row * 8 + column] = c[0], d[row * 8 + column + 1] = c[1];
  d[(row + 8) * 8 + column] = c[2], d[(row + 8) * 8 + column + 1] = c[3];
}

// D (16x8) = A (16x8) * B (8x8) in tf32, rounded on the way in.
__global__ void multiply_tf32(const float* a, const float* b, float* d) {
  int lane = threadIdx.x, row = lane / 4, column = lane % 4;
  float given[6] = {a[row * 8 + column],           a[(row + 8) * 8 + column], a[row * 8 + column + 4],
                    a[(row + 8) * 8 + column + 4], b[column * 8 + row],       b[(column + 4) * 8 + row]};
  unsigned r[6];
  for (int i = 0; i < 6; i++) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r[i]) : "f"(given[i]));
  float c0, c1, c2, c3;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
               : "=f"(c0), "=f"(c1), "=f"(c2), "=f"(c3)
               : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "f"(0.f), "f"(0.f), "f"(0.f), "f"(0.f));
  d[row * 8 + column * 2] = c0, d[row * 8 + column * 2 + 1] = c1;
  d[(row + 8) * 8 + column * 2] = c2, d[(row + 8) * 8 + column * 2 + 1] = c3;
}

// D (16x8) = A (16x32) * B (32x8) of bytes; B is stored column after column.
__global__ void multiply_s8(const signed char* a, const signed char* b, int* d) {
  int lane = threadIdx.x, row = lane / 4, k = lane % 4 * 4;
  auto word = [](const signed char* p) { return *reinterpret_cast<const unsigned*>(p); };
  int c[4];
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
               : "=r"(c[0]), "=r"(c[1]), "=r"(c[2]), "=r"(c[3])
               : "r"(word(a + row * 32 + k)), "r"(word(a + (row + 8) * 32 + k)), "r"(word(a + row * 32 + k + 16)),
                 "r"(word(a + (row + 8) * 32 + k + 16)), "r"(word(b + row * 32 + k)), "r"(word(b + row * 32 + k + 16)),
                 "r"(0));
  int column = lane % 4 * 2;
  d[row * 8 + column] = c[0], d[row * 8 + column + 1] = c[1];
  d[(row + 8) * 8 + column] = c[2], d[(row + 8) * 8 + column + 1] = c[3];
}

template <typename T>
struct Array {
  T* data;
  explicit Array(int count, int step) {
    cudaMallocManaged(&data, count * sizeof(T));
    for (int i = 0; i < count; i++) data[i] = T(float(i * step % 9 - 4));
  }
  ~Array() { cudaFree(data); }
};

template <typename T, typename D, typename At>
long check(const T* a, const D* d, int k, D start, At b_at) {
  long wrong = 0;
  for (int row = 0; row < 16; row++)
    for (int column = 0; column < 8; column++) {
      D sum = start;
      for (int i = 0; i < k; i++) sum += D(float(a[row * k + i])) * D(float(b_at(i, column)));
      wrong += sum != d[row * 8 + column];
    }
  return wrong;
}

int main() {
  long wrong = 0;
  {
    Array<__half> a(16 * 16, 5), b(16 * 8, 7);
    Array<float> d(16 * 8, 0);
    multiply_f16<<<1, 32>>>(a.data, b.data, d.data);
    cudaDeviceSynchronize();
    wrong += check(a.data, d.data, 16, 1.0f, [&](int i, int column) { return b.data[i * 8 + column]; });
  }
  {
    Array<float> a(16 * 8, 5), b(8 * 8, 7), d(16 * 8, 0);
    multiply_tf32<<<1, 32>>>(a.data, b.data, d.data);
    cudaDeviceSynchronize();
    wrong += check(a.data, d.data, 8, 0.0f, [&](int i, int column) { return b.data[i * 8 + column]; });
  }
  {
    Array<signed char> a(16 * 32, 5), b(32 * 8, 7);
    Array<int> d(16 * 8, 0);
    multiply_s8<<<1, 32>>>(a.data, b.data, d.data);
    cudaDeviceSynchronize();
    wrong += check(a.data, d.data, 32, 0, [&](int i, int column) { return b.data[column * 32 + i]; });
  }
  std::printf("%ld wrong\n", wrong);
  return wrong != 0;
}
