// cuSPARSE: CSR and COO times a vector and times matrices of both orders, also transposed.
// ranks: 1
// expect: ok
// expect: 0 wrong
#include <cusparse.h>

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

constexpr int kRows = 6, kColumns = 5, kWidth = 3;

template <typename T>
struct Buffer {
  explicit Buffer(const std::vector<T>& values) : count(values.size()) {
    CHECK(cudaMalloc(&data, count * sizeof(T)));
    CHECK(cudaMemcpy(data, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Buffer() { CHECK(cudaFree(data)); }
  Buffer(const Buffer&) = delete;
  std::vector<T> get() const {
    std::vector<T> values(count);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
  T* data;
  size_t count;
};

std::vector<double> ramp(int count) {
  std::vector<double> values(count);
  for (int i = 0; i < count; i++) values[i] = (i * 7 + 3) % 11 - 5;
  return values;
}

int main() {
  std::vector<double> dense = ramp(kRows * kColumns), values;
  std::vector<int> offsets = {0}, rows, columns;
  for (int i = 0; i < kRows; i++) {
    for (int j = 0; j < kColumns; j++)
      if ((i + 2 * j) % 3 == 0) {
        rows.push_back(i), columns.push_back(j), values.push_back(dense[i * kColumns + j]);
      } else {
        dense[i * kColumns + j] = 0;
      }
    offsets.push_back(static_cast<int>(values.size()));
  }
  auto count = static_cast<int64_t>(values.size());
  Buffer<int> doffsets(offsets), drows(rows), dcolumns(columns);
  Buffer<double> dvalues(values);
  cusparseHandle_t handle;
  cusparseSpMatDescr_t csr, coo;
  CHECK(cusparseCreate(&handle));
  CHECK(cusparseCreateCsr(&csr, kRows, kColumns, count, doffsets.data, dcolumns.data, dvalues.data, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  CHECK(cusparseCreateCoo(&coo, kRows, kColumns, count, drows.data, dcolumns.data, dvalues.data, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  double alpha = 2, beta = -1;
  size_t bytes = 0;
  long wrong = 0;
  for (cusparseSpMatDescr_t matrix : {csr, coo})
    for (bool turns : {false, true}) {
      int from = turns ? kRows : kColumns, to = turns ? kColumns : kRows;
      auto at = [&](int i, int j) { return turns ? dense[j * kColumns + i] : dense[i * kColumns + j]; };
      auto operation = turns ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
      std::vector<double> x = ramp(from), y = ramp(to), b = ramp(from * kWidth), c(to * kWidth);
      Buffer<double> dx(x), dy(y), db(b), dc(c);
      cusparseDnVecDescr_t vx, vy;
      cusparseDnMatDescr_t mb, mc;
      CHECK(cusparseCreateDnVec(&vx, from, dx.data, CUDA_R_64F));
      CHECK(cusparseCreateDnVec(&vy, to, dy.data, CUDA_R_64F));
      CHECK(cusparseCreateDnMat(&mb, from, kWidth, kWidth, db.data, CUDA_R_64F, CUSPARSE_ORDER_ROW));
      CHECK(cusparseCreateDnMat(&mc, to, kWidth, to, dc.data, CUDA_R_64F, CUSPARSE_ORDER_COL));
      CHECK(cusparseSpMV_bufferSize(handle, operation, &alpha, matrix, vx, &beta, vy, CUDA_R_64F,
                                    CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
      CHECK(cusparseSpMV(handle, operation, &alpha, matrix, vx, &beta, vy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT,
                         nullptr));
      double zero = 0;
      CHECK(cusparseSpMM(handle, operation, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix, mb, &zero, mc, CUDA_R_64F,
                         CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
      wrong += cusparseSpMV(handle, operation, &alpha, matrix, vy, &beta, vx, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT,
                            nullptr) != CUSPARSE_STATUS_INVALID_VALUE;
      std::vector<double> got = dy.get(), product = dc.get();
      for (int i = 0; i < to; i++) {
        double sum = 0;
        for (int j = 0; j < from; j++) sum += at(i, j) * x[j];
        wrong += got[i] != alpha * sum + beta * y[i];
        for (int k = 0; k < kWidth; k++) {
          sum = 0;
          for (int j = 0; j < from; j++) sum += at(i, j) * b[j * kWidth + k];
          wrong += product[i + k * to] != alpha * sum;
        }
      }
      CHECK(cusparseDestroyDnVec(vx));
      CHECK(cusparseDestroyDnVec(vy));
      CHECK(cusparseDestroyDnMat(mb));
      CHECK(cusparseDestroyDnMat(mc));
    }
  CHECK(cusparseDestroySpMat(csr));
  CHECK(cusparseDestroySpMat(coo));
  CHECK(cusparseDestroy(handle));
  std::printf("%ld wrong\n", wrong);
  return wrong != 0;
}
