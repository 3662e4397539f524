// cuSPARSE: products of sparse matrices with vectors and dense matrices.
#include <cusparse.h>

#include "vcluster/runtime/api/libraries/library_call.h"
#include "vcluster/runtime/api/libraries/numbers.h"
#include "vcluster/runtime/engine/handles.h"

using namespace cuco::vcluster;

struct cusparseContext {
  cudaStream_t stream = nullptr;
  cusparsePointerMode_t pointer_mode = CUSPARSE_POINTER_MODE_HOST;
};
struct cusparseSpMatDescr {
  int64_t rows = 0, columns = 0, nonzeros = 0;
  const void *row_places = nullptr, *column_indices = nullptr, *values = nullptr;
  cusparseIndexType_t row_type = CUSPARSE_INDEX_32I, column_type = CUSPARSE_INDEX_32I;
  int64_t base = 0;
  cudaDataType type = CUDA_R_32F;
  bool is_csr = true;  // Else row_places has a row for each number.
};
struct cusparseDnVecDescr {
  int64_t size = 0;
  void* values = nullptr;
  cudaDataType type = CUDA_R_32F;
};
struct cusparseDnMatDescr {
  int64_t rows = 0, columns = 0, ld = 0;
  void* values = nullptr;
  cudaDataType type = CUDA_R_32F;
  bool is_row_major = false;
};

namespace {

size_t bytes_of(cusparseIndexType_t type) {
  return type == CUSPARSE_INDEX_64I ? 8 : type == CUSPARSE_INDEX_32I ? 4 : 2;
}

int64_t index_at(const void* data, cusparseIndexType_t type, int64_t at) {
  if (type == CUSPARSE_INDEX_64I) return static_cast<const int64_t*>(data)[at];
  if (type == CUSPARSE_INDEX_32I) return static_cast<const int32_t*>(data)[at];
  return static_cast<const uint16_t*>(data)[at];
}

// Visits the numbers of the matrix: their place in the arrays, row and column.
template <typename Visit>
void for_each_number(const cusparseSpMatDescr& a, const Visit& visit) {
  auto column = [&](int64_t at) { return index_at(a.column_indices, a.column_type, at) - a.base; };
  if (!a.is_csr) {
    for (int64_t at = 0; at < a.nonzeros; at++) visit(at, index_at(a.row_places, a.row_type, at) - a.base, column(at));
    return;
  }
  for (int64_t row = 0; row < a.rows; row++) {
    int64_t end = index_at(a.row_places, a.row_type, row + 1) - a.base;
    for (int64_t at = index_at(a.row_places, a.row_type, row) - a.base; at < end; at++) visit(at, row, column(at));
  }
}

std::vector<Operand> operands_of(const cusparseSpMatDescr& a) {
  auto array = [](const void* data, size_t bytes, int64_t count) -> Operand {
    return {data, bytes, count, 1, count, Use::Read};
  };
  return {array(a.row_places, bytes_of(a.row_type), a.is_csr ? a.rows + 1 : a.nonzeros),
          array(a.column_indices, bytes_of(a.column_type), a.nonzeros),
          array(a.values, cuco::vcluster::bytes_of(a.type), a.nonzeros)};
}

// A dense operand: element (row, column) at row * row_step + column * column_step.
struct DenseSide {
  char* data;
  cudaDataType type;
  int64_t rows, columns, row_step, column_step;

  char* place(int64_t row, int64_t column) const {
    return data + (row * row_step + column * column_step) * static_cast<int64_t>(cuco::vcluster::bytes_of(type));
  }
  // Row by row, so that rows which no number meets are left out.
  Operand row_operand(int64_t row, Use use) const {
    return vector_operand(place(row, 0), cuco::vcluster::bytes_of(type), columns, column_step, use);
  }
};

DenseSide side_of(const cusparseDnMatDescr& matrix, bool turns) {
  int64_t row_step = matrix.is_row_major ? matrix.ld : 1, column_step = matrix.is_row_major ? 1 : matrix.ld;
  auto* data = static_cast<char*>(matrix.values);
  if (turns) return {data, matrix.type, matrix.columns, matrix.rows, column_step, row_step};
  return {data, matrix.type, matrix.rows, matrix.columns, row_step, column_step};
}

struct SparseProduct {
  cusparseSpMatDescr a;
  DenseSide b, c;
  bool turns_a, conjugates;
  std::vector<char> scalars;  // Copies of alpha and beta; empty: on the device.
  const void *alpha, *beta;
  cudaDataType type;

  int64_t row_of(int64_t row, int64_t column) const { return turns_a ? column : row; }
  int64_t column_of(int64_t row, int64_t column) const { return turns_a ? row : column; }
  template <typename T>
  T scalar(bool is_alpha) const {
    const void* place = is_alpha ? alpha : beta;
    size_t bytes = cuco::vcluster::bytes_of(type);
    return load_number<T>(scalars.empty() ? static_cast<const char*>(place) : scalars.data() + (is_alpha ? 0 : bytes),
                          type);
  }
};

// What is read of b: the rows that numbers meet, also those that are not there. The matrix itself must be readable.
std::vector<Operand> met_operands(const SparseProduct& product) {
  std::vector<bool> is_met(static_cast<size_t>(product.b.rows), false);
  std::vector<Operand> operands;
  for_each_number(product.a, [&](int64_t, int64_t row, int64_t column) {
    int64_t from = product.column_of(row, column), to = product.row_of(row, column);
    if (from < 0 || from >= product.b.rows)
      operands.push_back(product.b.row_operand(from, Use::Read));
    else
      is_met[static_cast<size_t>(from)] = true;
    if (to < 0 || to >= product.c.rows) operands.push_back(product.c.row_operand(to, Use::Update));
  });
  for (size_t row = 0; row < is_met.size(); row++)
    if (is_met[row]) operands.push_back(product.b.row_operand(static_cast<int64_t>(row), Use::Read));
  return operands;
}

template <typename T>
void compute(const SparseProduct& product) {
  T alpha = product.scalar<T>(true), beta = product.scalar<T>(false);
  auto columns = static_cast<size_t>(product.c.columns);
  std::vector<T> sums(static_cast<size_t>(product.c.rows) * columns);
  auto bytes = static_cast<int64_t>(cuco::vcluster::bytes_of(product.a.type));
  for_each_number(product.a, [&](int64_t at, int64_t row, int64_t column) {
    T value = load_number<T>(static_cast<const char*>(product.a.values) + at * bytes, product.a.type);
    if (product.conjugates) value = conjugate(value);
    int64_t to = product.row_of(row, column), from = product.column_of(row, column);
    for (size_t i = 0; i < columns; i++)
      sums[static_cast<size_t>(to) * columns + i] +=
          value * load_number<T>(product.b.place(from, static_cast<int64_t>(i)), product.b.type);
  });
  for (int64_t row = 0; row < product.c.rows; row++)
    for (size_t i = 0; i < columns; i++) {
      char* place = product.c.place(row, static_cast<int64_t>(i));
      T old = beta == T(0) ? T(0) : beta * load_number<T>(place, product.c.type);
      store_number(place, product.c.type, alpha * sums[static_cast<size_t>(row) * columns + i] + old);
    }
}

void run(const SparseProduct& product) {
  switch (product.type) {
    case CUDA_R_64F:
      return compute<double>(product);
    case CUDA_C_32F:
      return compute<std::complex<float>>(product);
    case CUDA_C_64F:
      return compute<std::complex<double>>(product);
    default:
      return compute<float>(product);
  }
}

bool is_zero_beta(const SparseProduct& product) {
  return !product.scalars.empty() && product.scalar<std::complex<double>>(false) == 0.0;
}

cusparseStatus_t queue_product(const cusparseContext& handle, const char* name, SparseProduct product) {
  int64_t a_rows = product.turns_a ? product.a.columns : product.a.rows;
  int64_t a_columns = product.turns_a ? product.a.rows : product.a.columns;
  if (a_rows != product.c.rows || a_columns != product.b.rows || product.b.columns != product.c.columns)
    return CUSPARSE_STATUS_INVALID_VALUE;
  size_t bytes = cuco::vcluster::bytes_of(product.type);
  if (handle.pointer_mode == CUSPARSE_POINTER_MODE_HOST) {
    product.scalars.resize(2 * bytes);
    for (bool is_alpha : {true, false}) {
      check_host_argument(is_alpha ? product.alpha : product.beta, bytes, name);
      std::memcpy(product.scalars.data() + (is_alpha ? 0 : bytes), is_alpha ? product.alpha : product.beta, bytes);
    }
  }
  LibraryCall call;
  call.name = name;
  double nonzeros = static_cast<double>(product.a.nonzeros), columns = static_cast<double>(product.c.columns);
  double moved = nonzeros * static_cast<double>(bytes + bytes_of(product.a.column_type)) +
                 static_cast<double>(product.b.rows + product.c.rows) * columns * static_cast<double>(bytes);
  bool is_double = product.type == CUDA_R_64F || product.type == CUDA_C_64F;
  call.work = library_work::sparse_product(nonzeros, columns, moved, is_complex_type(product.type) ? 4 : 1,
                                           is_double ? Unit::Fp64 : Unit::Fp32);
  call.operands = operands_of(product.a);
  if (product.scalars.empty())
    for (const void* place : {product.alpha, product.beta}) call.operands.push_back({place, bytes, 1, 1, 1, Use::Read});
  for (int64_t row = 0; row < product.c.rows; row++)
    call.operands.push_back(product.c.row_operand(row, is_zero_beta(product) ? Use::Write : Use::Update));
  call.late_operands = [product] { return met_operands(product); };
  call.compute = [product] { run(product); };
  return issue_library_call(handle.stream, std::move(call)) ? CUSPARSE_STATUS_SUCCESS
                                                            : CUSPARSE_STATUS_EXECUTION_FAILED;
}

template <typename Object>
cusparseStatus_t open(Object** out, Object object) {
  if (!out) return CUSPARSE_STATUS_INVALID_VALUE;
  *out = Handles<Object>::open(new Object(std::move(object)));
  return CUSPARSE_STATUS_SUCCESS;
}
template <typename Object>
cusparseStatus_t close(const Object* handle) {
  delete Handles<Object>::close(handle);
  return CUSPARSE_STATUS_SUCCESS;
}
template <typename Object>
const Object* found(const Object* handle) {
  return Handles<Object>::find(handle);
}

}  // namespace

extern "C" {

cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) { return open(handle, cusparseContext{}); }
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) { return close<cusparseContext>(handle); }
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
  cusparseContext* context = Handles<cusparseContext>::find(handle);
  if (!context) return CUSPARSE_STATUS_NOT_INITIALIZED;
  context->stream = stream;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream) {
  const cusparseContext* context = Handles<cusparseContext>::find(handle);
  if (!context) return CUSPARSE_STATUS_NOT_INITIALIZED;
  *stream = context->stream;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
  cusparseContext* context = Handles<cusparseContext>::find(handle);
  if (!context) return CUSPARSE_STATUS_NOT_INITIALIZED;
  context->pointer_mode = mode;
  return CUSPARSE_STATUS_SUCCESS;
}
const char* cusparseGetErrorName(cusparseStatus_t status) {
  return status == CUSPARSE_STATUS_SUCCESS ? "CUSPARSE_STATUS_SUCCESS" : "CUSPARSE_STATUS_INVALID_VALUE";
}
const char* cusparseGetErrorString(cusparseStatus_t status) {
  return status == CUSPARSE_STATUS_SUCCESS ? "success" : "the call failed";
}
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* out, int64_t rows, int64_t columns, int64_t nonzeros,
                                   void* offsets, void* indices, void* values, cusparseIndexType_t offset_type,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {
  return open(out, cusparseSpMatDescr{rows, columns, nonzeros, offsets, indices, values, offset_type, index_type, base,
                                      type, true});
}
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t* out, int64_t rows, int64_t columns, int64_t nonzeros,
                                   void* row_indices, void* indices, void* values, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type) {
  return open(out, cusparseSpMatDescr{rows, columns, nonzeros, row_indices, indices, values, index_type, index_type,
                                      base, type, false});
}
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix) { return close<cusparseSpMatDescr>(matrix); }
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* out, int64_t size, void* values, cudaDataType type) {
  return open(out, cusparseDnVecDescr{size, values, type});
}
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector) { return close<cusparseDnVecDescr>(vector); }
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void* values) {
  cusparseDnVecDescr* known = Handles<cusparseDnVecDescr>::find(vector);
  if (!known) return CUSPARSE_STATUS_NOT_INITIALIZED;
  known->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* out, int64_t rows, int64_t columns, int64_t ld, void* values,
                                     cudaDataType type, cusparseOrder_t order) {
  return open(out, cusparseDnMatDescr{rows, columns, ld, values, type, order == CUSPARSE_ORDER_ROW});
}
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix) { return close<cusparseDnMatDescr>(matrix); }

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                                         cusparseConstDnVecDescr_t, const void*, cusparseDnVecDescr_t, cudaDataType,
                                         cusparseSpMVAlg_t, size_t* bytes) {
  *bytes = 256;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                                         cusparseConstDnVecDescr_t, const void*, cusparseDnVecDescr_t, cudaDataType,
                                         cusparseSpMVAlg_t, void*) {
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMV(cusparseHandle_t named, cusparseOperation_t operation, const void* alpha,
                              cusparseConstSpMatDescr_t matrix, cusparseConstDnVecDescr_t x, const void* beta,
                              cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t, void*) {
  const cusparseContext* handle = found<cusparseContext>(named);
  const auto* a = found(matrix);
  const auto* from = found(x);
  const auto* to = found<cusparseDnVecDescr>(y);
  if (!handle || !a || !from || !to) return CUSPARSE_STATUS_NOT_INITIALIZED;
  auto side = [](const cusparseDnVecDescr& v) {
    return DenseSide{static_cast<char*>(v.values), v.type, v.size, 1, 1, v.size};
  };
  return queue_product(*handle, "cusparseSpMV",
                       {*a,
                        side(*from),
                        side(*to),
                        operation != CUSPARSE_OPERATION_NON_TRANSPOSE,
                        operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE,
                        {},
                        alpha,
                        beta,
                        type});
}
cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, const void*,
                                         cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, size_t* bytes) {
  *bytes = 256;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMM(cusparseHandle_t named, cusparseOperation_t operation, cusparseOperation_t b_operation,
                              const void* alpha, cusparseConstSpMatDescr_t matrix, cusparseConstDnMatDescr_t b,
                              const void* beta, cusparseDnMatDescr_t c, cudaDataType type, cusparseSpMMAlg_t, void*) {
  const cusparseContext* handle = found<cusparseContext>(named);
  const auto* a = found(matrix);
  const auto* from = found(b);
  const auto* to = found<cusparseDnMatDescr>(c);
  if (!handle || !a || !from || !to) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (b_operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return queue_product(*handle, "cusparseSpMM",
                       {*a,
                        side_of(*from, b_operation != CUSPARSE_OPERATION_NON_TRANSPOSE),
                        side_of(*to, false),
                        operation != CUSPARSE_OPERATION_NON_TRANSPOSE,
                        operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE,
                        {},
                        alpha,
                        beta,
                        type});
}
}
