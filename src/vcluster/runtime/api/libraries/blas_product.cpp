#include "vcluster/runtime/api/libraries/blas_product.h"

namespace cuco::vcluster {

namespace {

template <typename T>
Dense<T> load(const ProductMatrix& matrix, int batch) {
  Dense<T> result(matrix.rows, matrix.columns);
  const char* data = matrix.of_batch(batch);
  auto element = static_cast<long long>(bytes_of(matrix.type));
  for (long long column = 0; column < matrix.columns; column++)
    for (long long row = 0; row < matrix.rows; row++)
      result.at(row, column) = load_number<T>(data + matrix.offset(row, column) * element, matrix.type);
  return with_operation(std::move(result), matrix.operation);
}

template <typename T>
void store(const Dense<T>& from, const ProductMatrix& matrix, int batch) {
  char* data = const_cast<char*>(matrix.of_batch(batch));
  auto element = static_cast<long long>(bytes_of(matrix.type));
  for (long long column = 0; column < from.columns; column++)
    for (long long row = 0; row < from.rows; row++)
      store_number(data + matrix.offset(row, column) * element, matrix.type, from.at(row, column));
}

template <typename T>
void compute(const Product& product, T alpha, T beta) {
  for (int batch = 0; batch < product.batch_count; batch++) {
    Dense<T> result = multiply(load<T>(product.a, batch), load<T>(product.b, batch));
    if (beta == T(0)) {
      for (T& value : result.values) value = alpha * value;
    } else {
      Dense<T> old = load<T>(product.c, batch);
      for (size_t i = 0; i < result.values.size(); i++)
        result.values[i] = alpha * result.values[i] + beta * old.values[i];
    }
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
      if (product.epilogue) product.epilogue(&result, batch);
    store(result, product.d, batch);
  }
}

// The scalars as they are when the call runs.
struct Scalars {
  std::vector<char> copies;  // Empty: they lie on the device.
  const void *alpha, *beta;

  template <typename T>
  T get(bool is_alpha, cudaDataType type) const {
    const char* place = static_cast<const char*>(is_alpha ? alpha : beta);
    if (!copies.empty()) place = copies.data() + (is_alpha ? 0 : bytes_of(type));
    return load_number<T>(place, type);
  }
};

template <typename T>
void compute(const Product& product, const Scalars& scalars) {
  T alpha = scalars.get<T>(true, product.scalar_type), beta = scalars.get<T>(false, product.scalar_type);
  if (product.scales) alpha *= static_cast<Real<T>>(product.scales());
  compute(product, alpha, beta);
}

void run(const Product& product, const Scalars& scalars) {
  switch (product.scalar_type) {
    case CUDA_R_64F:
      return compute<double>(product, scalars);
    case CUDA_R_32I:
      return compute<int>(product, scalars);
    case CUDA_C_32F:
      return compute<std::complex<float>>(product, scalars);
    case CUDA_C_64F:
      return compute<std::complex<double>>(product, scalars);
    default:
      return compute<float>(product, scalars);
  }
}

bool is_valid(const Product& product) {
  if (product.m < 0 || product.n < 0 || product.k < 0 || product.batch_count < 0) return false;
  return product.alpha && product.beta && product.a.is_valid() && product.b.is_valid() && product.c.is_valid() &&
         product.d.is_valid();
}

std::vector<Operand> operands_of(const Product& product, bool reads_c) {
  std::vector<Operand> operands = product.more_operands;
  for (int batch = 0; batch < product.batch_count; batch++) {
    operands.push_back(product.a.operand(batch, Use::Read));
    operands.push_back(product.b.operand(batch, Use::Read));
    if (reads_c) operands.push_back(product.c.operand(batch, Use::Read));
    operands.push_back(product.d.operand(batch, Use::Write));
  }
  return operands;
}

LibraryWork work_of(const Product& product) {
  Unit unit = product.uses_tensor_cores                                           ? Unit::Tensor
              : bytes_of(product.scalar_type) / (product.is_complex ? 2 : 1) == 8 ? Unit::Fp64
                                                                                  : Unit::Fp32;
  auto real = [](long long value) { return static_cast<double>(value); };
  LibraryWork work =
      library_work::product(real(product.m), real(product.n), real(product.k), product.batch_count,
                            static_cast<double>(bytes_of(product.a.type)), product.is_complex ? 4 : 1, unit);
  return work;
}

bool is_zero(const Scalars& scalars, const Product& product) {
  if (scalars.copies.empty()) return false;
  return scalars.get<std::complex<double>>(false, product.scalar_type) == 0.0;
}

std::vector<Operand> pointer_arrays(const Product& product) {
  std::vector<Operand> operands;
  for (const ProductMatrix* matrix : {&product.a, &product.b, &product.d})
    if (matrix->is_pointer_array)
      operands.push_back({matrix->data, sizeof(void*), product.batch_count, 1, product.batch_count, Use::Read});
  return operands;
}

}  // namespace

cublasStatus_t queue_product(const cublasContext& handle, Product product, const char* name) {
  product.is_complex = is_complex_type(product.scalar_type);
  if (!is_valid(product)) return CUBLAS_STATUS_INVALID_VALUE;
  size_t bytes = bytes_of(product.scalar_type);
  Scalars scalars = {{}, product.alpha, product.beta};
  if (handle.pointer_mode == CUBLAS_POINTER_MODE_HOST) {
    scalars.copies.resize(2 * bytes);
    for (bool is_alpha : {true, false}) {
      const void* place = is_alpha ? product.alpha : product.beta;
      check_host_argument(place, bytes, name);
      std::memcpy(scalars.copies.data() + (is_alpha ? 0 : bytes), place, bytes);
    }
  }
  bool reads_c = !is_zero(scalars, product);
  LibraryCall call = {name, work_of(product), pointer_arrays(product)};
  if (scalars.copies.empty())
    for (const void* place : {product.alpha, product.beta}) call.operands.push_back({place, bytes, 1, 1, 1, Use::Read});
  if (call.operands.empty())
    call.operands = operands_of(product, reads_c);
  else
    call.late_operands = [product, reads_c] { return operands_of(product, reads_c); };
  call.compute = [product = std::move(product), scalars = std::move(scalars)] { run(product, scalars); };
  return queue(handle, std::move(call));
}

bool uses_tensor_cores(cudaDataType type, cublasComputeType_t compute, cublasMath_t mode) {
  if (bytes_of(type) < 4) return true;
  if (type != CUDA_R_32F && type != CUDA_C_32F) return false;
  return compute == CUBLAS_COMPUTE_32F_FAST_TF32 || compute == CUBLAS_COMPUTE_32F_FAST_16F ||
         compute == CUBLAS_COMPUTE_32F_FAST_16BF || mode == CUBLAS_TF32_TENSOR_OP_MATH;
}

cudaDataType scalar_type_of(cublasComputeType_t compute, cudaDataType element) {
  switch (compute) {
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      return element == CUDA_C_64F ? CUDA_C_64F : CUDA_R_64F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      return CUDA_R_32I;
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      return CUDA_R_16F;
    default:
      return element == CUDA_C_32F ? CUDA_C_32F : CUDA_R_32F;
  }
}

}  // namespace cuco::vcluster
