// cublasLtMatmul: layouts of both orders, a batch, bias, ReLU and GELU with what they keep for the backward pass.
// ranks: 1
// expect: ok
// expect: 0 wrong
#include <cublasLt.h>

#include <cmath>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                  \
  do {                                                               \
    if (int result_ = static_cast<int>(call)) {                      \
      std::printf("%s:%d: error %d\n", __FILE__, __LINE__, result_); \
      std::exit(1);                                                  \
    }                                                                \
  } while (0)

constexpr int m = 8, n = 6, k = 5;

std::vector<float> ramp(size_t count, int step) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; i++) values[i] = float(int((i + 2) * step % 9) - 4) / 4;
  return values;
}
float* on_device(const std::vector<float>& host) {
  float* device;
  CHECK(cudaMalloc(&device, host.size() * sizeof(float)));
  CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
  return device;
}
std::vector<float> on_host(const float* device, size_t count) {
  std::vector<float> host(count);
  CHECK(cudaMemcpy(host.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost));
  return host;
}

struct Matmul {
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t description;
  cublasLtMatrixLayout_t a, b, d;

  Matmul() {
    CHECK(cublasLtCreate(&handle));
    CHECK(cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    CHECK(cublasLtMatrixLayoutCreate(&a, CUDA_R_32F, m, k, m));
    CHECK(cublasLtMatrixLayoutCreate(&b, CUDA_R_32F, k, n, k));
    CHECK(cublasLtMatrixLayoutCreate(&d, CUDA_R_32F, m, n, m));
  }
  template <typename T>
  void set(cublasLtMatmulDescAttributes_t attribute, T value) {
    CHECK(cublasLtMatmulDescSetAttribute(description, attribute, &value, sizeof value));
  }
  void run(const float* A, const float* B, float* D, cudaStream_t stream) {
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t result;
    int found = 0;
    size_t workspace = 1 << 20;
    CHECK(cublasLtMatmulPreferenceCreate(&preference));
    CHECK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                               sizeof workspace));
    CHECK(cublasLtMatmulAlgoGetHeuristic(handle, description, a, b, d, d, preference, 1, &result, &found));
    CHECK(found == 0);
    float one = 1, zero = 0;
    CHECK(cublasLtMatmul(handle, description, &one, A, a, B, b, &zero, D, d, D, d, &result.algo, nullptr, 0, stream));
    CHECK(cublasLtMatmulPreferenceDestroy(preference));
  }
  ~Matmul() {
    for (cublasLtMatrixLayout_t layout : {a, b, d}) CHECK(cublasLtMatrixLayoutDestroy(layout));
    CHECK(cublasLtMatmulDescDestroy(description));
    CHECK(cublasLtDestroy(handle));
  }
};

float product_at(const std::vector<float>& a, const std::vector<float>& b, int row, int column) {
  float sum = 0;
  for (int l = 0; l < k; l++) sum += a[row + l * m] * b[l + column * k];
  return sum;
}
double gelu(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }

int main() {
  std::vector<float> a = ramp(m * k, 5), b = ramp(k * n, 7), bias = ramp(m, 2);
  float *da = on_device(a), *db = on_device(b), *dbias = on_device(bias);
  float *dd = on_device(std::vector<float>(m * n)), *daux = on_device(std::vector<float>(m * n));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  long wrong = 0;

  Matmul forward;
  forward.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
  forward.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, dbias);
  forward.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, daux);
  forward.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t(m));
  forward.run(da, db, dd, stream);
  CHECK(cudaStreamSynchronize(stream));
  std::vector<float> got = on_host(dd, m * n), kept = on_host(daux, m * n);
  for (int i = 0; i < m * n; i++) {
    float before = product_at(a, b, i % m, i / m) + bias[i % m];
    wrong += kept[i] != before || std::fabs(got[i] - gelu(before)) > 1e-6;
  }

  Matmul backward;  // The slope of GELU at what was kept.
  backward.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DGELU);
  backward.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, daux);
  backward.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t(m));
  backward.run(da, db, dd, stream);
  CHECK(cudaStreamSynchronize(stream));
  got = on_host(dd, m * n);
  for (int i = 0; i < m * n; i++) {
    double slope = (gelu(kept[i] + 1e-5) - gelu(kept[i] - 1e-5)) / 2e-5;
    wrong += std::fabs(got[i] - product_at(a, b, i % m, i / m) * slope) > 1e-4;
  }

  Matmul relu;  // The first operand row by row, and transposed.
  int32_t row_order = CUBLASLT_ORDER_ROW;
  uint64_t rows = k, columns = m;
  int64_t ld = m;
  CHECK(cublasLtMatrixLayoutSetAttribute(relu.a, CUBLASLT_MATRIX_LAYOUT_ORDER, &row_order, sizeof row_order));
  CHECK(cublasLtMatrixLayoutSetAttribute(relu.a, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, sizeof rows));
  CHECK(cublasLtMatrixLayoutSetAttribute(relu.a, CUBLASLT_MATRIX_LAYOUT_COLS, &columns, sizeof columns));
  CHECK(cublasLtMatrixLayoutSetAttribute(relu.a, CUBLASLT_MATRIX_LAYOUT_LD, &ld, sizeof ld));
  relu.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  relu.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_RELU);
  relu.run(da, db, dd, stream);
  CHECK(cudaStreamSynchronize(stream));
  got = on_host(dd, m * n);
  for (int i = 0; i < m * n; i++) wrong += got[i] != std::fmax(0.0f, product_at(a, b, i % m, i / m));

  for (float* buffer : {da, db, dbias, dd, daux}) CHECK(cudaFree(buffer));
  CHECK(cudaStreamDestroy(stream));
  std::printf("%ld wrong\n", wrong);
  return wrong != 0;
}
