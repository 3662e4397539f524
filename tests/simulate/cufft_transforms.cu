// cuFFT against the sum that defines the transform: one, two and three dimensions, primes, batches with a layout of their
// own, reals there and back, in place.
// ranks: 1
// expect: ok
// expect: 0 wrong
#include <cufft.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                  \
  do {                                                               \
    if (int result_ = static_cast<int>(call)) {                      \
      std::printf("%s:%d: error %d\n", __FILE__, __LINE__, result_); \
      std::exit(1);                                                  \
    }                                                                \
  } while (0)

using Complex = std::complex<double>;

std::vector<Complex> ramp(int count) {
  std::vector<Complex> values(count);
  for (int i = 0; i < count; i++) values[i] = {double(i * 7 % 11 - 5), double(i * 5 % 7 - 3)};
  return values;
}
// The transform of three dimensions by its definition.
std::vector<Complex> defined(const std::vector<Complex>& in, int nx, int ny, int nz, int sign) {
  std::vector<Complex> out(in.size());
  for (int a = 0; a < nx; a++)
    for (int b = 0; b < ny; b++)
      for (int c = 0; c < nz; c++) {
        Complex sum = 0;
        for (int x = 0; x < nx; x++)
          for (int y = 0; y < ny; y++)
            for (int z = 0; z < nz; z++) {
              double turns = double(a) * x / nx + double(b) * y / ny + double(c) * z / nz;
              sum += in[(x * ny + y) * nz + z] * std::polar(1.0, sign * 2 * M_PI * turns);
            }
        out[(a * ny + b) * nz + c] = sum;
      }
  return out;
}
bool differs(Complex a, Complex b) { return std::abs(a - b) > 1e-9; }

template <typename T>
T* on_device(const std::vector<T>& host) {
  T* device;
  CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
  CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}
template <typename T>
std::vector<T> from_device(T* device, size_t count) {
  std::vector<T> host(count);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  return host;
}
cufftDoubleComplex* pairs(Complex* data) { return reinterpret_cast<cufftDoubleComplex*>(data); }

long check_complex(int nx, int ny, int nz, int direction) {
  std::vector<Complex> in = ramp(nx * ny * nz), wanted = defined(in, nx, ny, nz, direction);
  cufftHandle plan;
  if (nx > 1)
    CHECK(cufftPlan3d(&plan, nx, ny, nz, CUFFT_Z2Z));
  else if (ny > 1)
    CHECK(cufftPlan2d(&plan, ny, nz, CUFFT_Z2Z));
  else
    CHECK(cufftPlan1d(&plan, nz, CUFFT_Z2Z, 1));
  Complex* data = on_device(in);
  CHECK(cufftExecZ2Z(plan, pairs(data), pairs(data), direction));
  std::vector<Complex> got = from_device(data, in.size());
  CHECK(cufftDestroy(plan));
  long wrong = 0;
  for (size_t i = 0; i < in.size(); i++) wrong += differs(got[i], wanted[i]);
  return wrong;
}

long check_reals(int ny, int nz) {
  std::vector<double> in(ny * nz);
  for (int i = 0; i < ny * nz; i++) in[i] = i * 7 % 13 - 6;
  std::vector<Complex> wanted = defined({in.begin(), in.end()}, 1, ny, nz, -1);
  int half = nz / 2 + 1;
  cufftHandle there, back;
  CHECK(cufftPlan2d(&there, ny, nz, CUFFT_D2Z));
  CHECK(cufftPlan2d(&back, ny, nz, CUFFT_Z2D));
  double* reals = on_device(in);
  Complex* spectrum = on_device(std::vector<Complex>(ny * half));
  CHECK(cufftExecD2Z(there, reals, pairs(spectrum)));
  CHECK(cufftExecZ2D(back, pairs(spectrum), reals));
  std::vector<Complex> got = from_device(spectrum, ny * half);
  std::vector<double> again = from_device(reals, in.size());
  CHECK(cufftDestroy(there));
  CHECK(cufftDestroy(back));
  long wrong = 0;
  for (int y = 0; y < ny; y++)
    for (int z = 0; z < half; z++) wrong += differs(got[y * half + z], wanted[y * nz + z]);
  for (int i = 0; i < ny * nz; i++) wrong += std::fabs(again[i] - in[i] * ny * nz) > 1e-8;
  return wrong;
}

// Three signals whose elements lie side by side, as columns of a matrix, on a stream of their own.
long check_columns() {
  constexpr int length = 10, count = 3;
  std::vector<Complex> in = ramp(length * count);
  std::vector<std::complex<float>> floats(in.begin(), in.end());
  int n[] = {length};
  cufftHandle plan;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cufftPlanMany(&plan, 1, n, n, count, 1, n, count, 1, CUFFT_C2C, count));
  CHECK(cufftSetStream(plan, stream));
  std::complex<float>* data = on_device(floats);
  auto* both = reinterpret_cast<cufftComplex*>(data);
  CHECK(cufftExecC2C(plan, both, both, CUFFT_FORWARD));
  std::vector<std::complex<float>> got = from_device(data, floats.size());
  CHECK(cufftDestroy(plan));
  CHECK(cudaStreamDestroy(stream));
  long wrong = 0;
  for (int column = 0; column < count; column++) {
    std::vector<Complex> one(length);
    for (int i = 0; i < length; i++) one[i] = in[i * count + column];
    one = defined(one, 1, 1, length, -1);
    for (int i = 0; i < length; i++) wrong += std::abs(Complex(got[i * count + column]) - one[i]) > 1e-4;
  }
  return wrong + (cufftExecC2C(plan, both, both, CUFFT_FORWARD) != CUFFT_INVALID_PLAN);
}

int main() {
  long wrong = check_complex(1, 1, 24, CUFFT_FORWARD) + check_complex(1, 1, 13, CUFFT_INVERSE) +
               check_complex(1, 6, 10, CUFFT_FORWARD) + check_complex(3, 4, 5, CUFFT_INVERSE) + check_reals(6, 8) +
               check_reals(5, 9) + check_columns();
  std::printf("%ld wrong\n", wrong);
  return wrong != 0;
}
