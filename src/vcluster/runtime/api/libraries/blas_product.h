// General matrix products, C = alpha op(A) op(B) + beta C, of every type, batched by stride or by arrays of pointers.
// Shared by cuBLAS and cuBLASLt. Sums in the order of k, in the precision of the computation.
#pragma once

#include <memory>

#include "vcluster/runtime/api/libraries/blas.h"

namespace cuco::vcluster {

// Element (row, column) at row * row_step + column * column_step.
struct ProductMatrix {
  const void* data = nullptr;
  cudaDataType type = CUDA_R_32F;
  long long rows = 0, columns = 0;  // As stored.
  long long ld = 0;
  long long stride = 0;  // Between the matrices of a batch.
  bool is_row_major = false;
  bool is_pointer_array = false;  // `data` is an array of pointers in device memory.
  cublasOperation_t operation = CUBLAS_OP_N;

  const char* of_batch(long long batch) const {
    if (is_pointer_array) return static_cast<const char* const*>(data)[batch];
    return static_cast<const char*>(data) + batch * stride * static_cast<long long>(bytes_of(type));
  }
  long long offset(long long row, long long column) const {
    return is_row_major ? row * ld + column : row + column * ld;
  }
  bool is_valid() const {
    return rows >= 0 && columns >= 0 && ld >= std::max<long long>(1, is_row_major ? columns : rows);
  }
  Operand operand(long long batch, Use use) const {
    long long run = is_row_major ? columns : rows, runs = is_row_major ? rows : columns;
    return {of_batch(batch), bytes_of(type), run, runs, ld, use};
  }
};

struct Product {
  long long m = 0, n = 0, k = 0;
  int batch_count = 1;
  cudaDataType scalar_type = CUDA_R_32F;
  bool is_complex = false;
  bool uses_tensor_cores = false;
  ProductMatrix a, b, c, d;  // d is where the result goes: usually c.
  const void *alpha = nullptr, *beta = nullptr;
  std::function<double()> scales = {};                  // A factor that is known when the call runs.
  std::function<void(void*, int batch)> epilogue = {};  // Gets a Dense<float or double>.
  std::vector<Operand> more_operands;
};

cublasStatus_t queue_product(const cublasContext& handle, Product product, const char* name);

bool uses_tensor_cores(cudaDataType type, cublasComputeType_t compute, cublasMath_t mode);
cudaDataType scalar_type_of(cublasComputeType_t compute, cudaDataType element);

}  // namespace cuco::vcluster
