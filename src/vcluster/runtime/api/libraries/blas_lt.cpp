// cuBLASLt: descriptors, heuristics that know one algorithm, and the product with its epilogues.
#include <cublasLt.h>

#include <cmath>
#include <map>

#include "vcluster/runtime/api/libraries/blas_product.h"

using namespace cuco::vcluster;

struct cublasLtContext {};

// Attributes are kept as the bytes they came in, by their number.
struct cublasLtMatmulDescOpaque_t {
  std::map<int, uint64_t> attributes;
};
struct cublasLtMatrixLayoutOpaque_t {
  std::map<int, uint64_t> attributes;
};
struct cublasLtMatmulPreferenceOpaque_t {
  std::map<int, uint64_t> attributes;
};

namespace {

// The bytes that an attribute has. 0: not an attribute that this table knows.
size_t layout_bytes(int attribute) {
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return 4;
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
    case CUBLASLT_MATRIX_LAYOUT_COLS:
    case CUBLASLT_MATRIX_LAYOUT_LD:
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
    case CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET:
      return 8;
    default:
      return 0;
  }
}
size_t product_bytes(int attribute) {
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
    case CUBLASLT_MATMUL_DESC_POINTER_MODE:
    case CUBLASLT_MATMUL_DESC_TRANSA:
    case CUBLASLT_MATMUL_DESC_TRANSB:
    case CUBLASLT_MATMUL_DESC_TRANSC:
    case CUBLASLT_MATMUL_DESC_FILL_MODE:
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
    case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET:
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE:
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
      return 4;
    case CUBLASLT_MATMUL_DESC_FAST_ACCUM:
      return 1;
    default:
      return attribute >= 0 && attribute <= CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE ? 8 : 0;
  }
}

template <typename Object>
cublasStatus_t set_attribute(Object* object, int attribute, size_t wanted, const void* bytes, size_t size) {
  if (!object) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (wanted == 0 || !bytes || size < wanted) return CUBLAS_STATUS_INVALID_VALUE;
  check_host_argument(bytes, wanted, "cublasLt's attribute");
  uint64_t value = 0;
  std::memcpy(&value, bytes, wanted);
  object->attributes[attribute] = value;
  return CUBLAS_STATUS_SUCCESS;
}
template <typename Object>
cublasStatus_t get_attribute(const Object* object, int attribute, size_t wanted, void* bytes, size_t size,
                             size_t* written) {
  if (!object) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (wanted == 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (written) *written = wanted;
  if (!bytes) return size == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
  if (size < wanted) return CUBLAS_STATUS_INVALID_VALUE;
  auto found = object->attributes.find(attribute);
  uint64_t value = found == object->attributes.end() ? 0 : found->second;
  std::memcpy(bytes, &value, wanted);
  return CUBLAS_STATUS_SUCCESS;
}
template <typename Object>
uint64_t value_of(const Object& object, int attribute, uint64_t otherwise = 0) {
  auto found = object.attributes.find(attribute);
  return found == object.attributes.end() ? otherwise : found->second;
}

ProductMatrix matrix_of(const void* data, const cublasLtMatrixLayoutOpaque_t& layout, cublasOperation_t operation) {
  auto number = [&](int attribute) { return static_cast<long long>(value_of(layout, attribute)); };
  ProductMatrix matrix;
  matrix.data = data;
  matrix.type = static_cast<cudaDataType>(number(CUBLASLT_MATRIX_LAYOUT_TYPE));
  matrix.rows = number(CUBLASLT_MATRIX_LAYOUT_ROWS), matrix.columns = number(CUBLASLT_MATRIX_LAYOUT_COLS);
  matrix.ld = number(CUBLASLT_MATRIX_LAYOUT_LD);
  matrix.stride = number(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
  matrix.is_row_major = number(CUBLASLT_MATRIX_LAYOUT_ORDER) == CUBLASLT_ORDER_ROW;
  matrix.operation = operation;
  return matrix;
}

// What is done with the product before it is stored.
struct EpilogueSettings {
  int kind = CUBLASLT_EPILOGUE_DEFAULT;
  const char* bias = nullptr;
  char* aux = nullptr;
  cudaDataType bias_type = CUDA_R_32F, aux_type = CUDA_R_32F;
  long long aux_ld = 0, aux_stride = 0, bias_stride = 0;
  ProductMatrix a, b;  // For the gradients of a bias that are sums over an input.
  const float* d_scale = nullptr;

  bool has(int bit) const { return (kind & bit) != 0; }
};
constexpr int kRelu = 2, kBias = 4, kReluGradient = 8, kBiasGradient = 16, kGelu = 32, kGeluGradient = 64, kAux = 128;

// The approximation by tanh, which cuBLASLt documents.
constexpr double kRoot = 0.7978845608028654;  // sqrt(2 / pi).
double gelu(double x) { return 0.5 * x * (1 + std::tanh(kRoot * (x + 0.044715 * x * x * x))); }
double gelu_slope(double x) {
  double t = std::tanh(kRoot * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * kRoot * (1 + 3 * 0.044715 * x * x);
}

char* element(const EpilogueSettings& settings, long long row, long long column, int batch) {
  return settings.aux + (row + column * settings.aux_ld + batch * settings.aux_stride) *
                            static_cast<long long>(bytes_of(settings.aux_type));
}
// A bit a number, rows first: whether the number was positive.
char* mask_byte(const EpilogueSettings& settings, long long row, long long column, int batch) {
  return settings.aux + (column * settings.aux_ld + batch * settings.aux_stride + row) / 8;
}
const char* bias_place(const EpilogueSettings& settings, long long index, int batch) {
  return settings.bias + (index + batch * settings.bias_stride) * static_cast<long long>(bytes_of(settings.bias_type));
}

template <typename T>
T activated(const EpilogueSettings& settings, T value, long long row, long long column, int batch) {
  if (settings.has(kBias)) value += load_number<T>(bias_place(settings, row, batch), settings.bias_type);
  if (settings.has(kGelu)) {
    if (settings.has(kAux)) {
      store_number(element(settings, row, column, batch), settings.aux_type, value);
      value = load_number<T>(element(settings, row, column, batch), settings.aux_type);
    }
    return static_cast<T>(gelu(static_cast<double>(value)));
  }
  if (settings.has(kGeluGradient))
    return value *
           static_cast<T>(gelu_slope(load_number<double>(element(settings, row, column, batch), settings.aux_type)));
  if (settings.has(kReluGradient)) return *mask_byte(settings, row, column, batch) >> (row % 8) & 1 ? value : T(0);
  if (!settings.has(kRelu)) return value;
  if (settings.has(kAux)) {
    char* byte = mask_byte(settings, row, column, batch);
    char bit = static_cast<char>(1 << (row % 8));
    *byte = static_cast<char>(value > 0 ? *byte | bit : *byte & ~bit);
  }
  return value > 0 ? value : T(0);
}

// Sums over the rows or columns of what is given, into the place of the bias.
template <typename T>
void put_sums(const EpilogueSettings& settings, const Dense<T>& of, bool over_columns, int batch) {
  for (long long i = 0; i < (over_columns ? of.rows : of.columns); i++) {
    T sum = 0;
    for (long long j = 0; j < (over_columns ? of.columns : of.rows); j++)
      sum += over_columns ? of.at(i, j) : of.at(j, i);
    store_number(const_cast<char*>(bias_place(settings, i, batch)), settings.bias_type, sum);
  }
}
template <typename T>
Dense<T> input_of(const ProductMatrix& matrix, int batch) {
  Dense<T> result(matrix.rows, matrix.columns);
  auto bytes = static_cast<long long>(bytes_of(matrix.type));
  for (long long column = 0; column < matrix.columns; column++)
    for (long long row = 0; row < matrix.rows; row++)
      result.at(row, column) = load_number<T>(matrix.of_batch(batch) + matrix.offset(row, column) * bytes, matrix.type);
  return with_operation(std::move(result), matrix.operation);
}

template <typename T>
void apply(const EpilogueSettings& settings, Dense<T>& product, int batch) {
  for (long long column = 0; column < product.columns; column++)
    for (long long row = 0; row < product.rows; row++)
      product.at(row, column) = activated(settings, product.at(row, column), row, column, batch);
  if (settings.has(kBiasGradient)) put_sums(settings, product, true, batch);
  if (settings.has(CUBLASLT_EPILOGUE_BGRADA)) put_sums(settings, input_of<T>(settings.a, batch), true, batch);
  if (settings.has(CUBLASLT_EPILOGUE_BGRADB)) put_sums(settings, input_of<T>(settings.b, batch), false, batch);
  if (settings.d_scale)
    for (T& value : product.values) value *= static_cast<T>(*settings.d_scale);
}

EpilogueSettings settings_of(const cublasLtMatmulDescOpaque_t& of, const Product& product) {
  EpilogueSettings settings;
  auto number = [&](int attribute, uint64_t otherwise = 0) {
    return static_cast<long long>(value_of(of, attribute, otherwise));
  };
  settings.kind = static_cast<int>(number(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT));
  settings.bias = reinterpret_cast<const char*>(number(CUBLASLT_MATMUL_DESC_BIAS_POINTER));
  settings.aux = reinterpret_cast<char*>(number(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER));
  bool is_small = bytes_of(product.d.type) == 1;  // fp8: bias and aux of bf16 by default.
  auto usual = static_cast<uint64_t>(is_small ? CUDA_R_16BF : product.d.type);
  settings.bias_type = static_cast<cudaDataType>(number(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, usual));
  settings.aux_type = static_cast<cudaDataType>(number(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, usual));
  settings.aux_ld = number(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD);
  settings.aux_stride = number(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE);
  settings.bias_stride = number(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE);
  settings.d_scale = reinterpret_cast<const float*>(number(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER));
  settings.a = product.a, settings.b = product.b;
  return settings;
}

std::vector<Operand> operands_of(const EpilogueSettings& settings, const Product& product) {
  std::vector<Operand> operands;
  bool writes_bias = settings.has(kBiasGradient | CUBLASLT_EPILOGUE_BGRADA | CUBLASLT_EPILOGUE_BGRADB);
  long long bias_count = settings.has(CUBLASLT_EPILOGUE_BGRADB) ? product.n : product.m;
  for (int batch = 0; batch < product.batch_count; batch++) {
    if (writes_bias || settings.has(kBias))
      operands.push_back({bias_place(settings, 0, batch), bytes_of(settings.bias_type), bias_count, 1, bias_count,
                          writes_bias ? Use::Write : Use::Read});
    if (!settings.has(kAux)) continue;
    Use use = settings.has(kReluGradient | kGeluGradient) ? Use::Read : Use::Write;
    if (settings.has(kRelu | kReluGradient))
      operands.push_back(
          {mask_byte(settings, 0, 0, batch), 1, (product.m + 7) / 8, product.n, settings.aux_ld / 8, use});
    else
      operands.push_back(
          {element(settings, 0, 0, batch), bytes_of(settings.aux_type), product.m, product.n, settings.aux_ld, use});
  }
  return operands;
}

bool is_epilogue_usable(const EpilogueSettings& settings, const Product& product) {
  bool wants_bias = settings.has(kBias | kBiasGradient | CUBLASLT_EPILOGUE_BGRADA | CUBLASLT_EPILOGUE_BGRADB);
  if (wants_bias && !settings.bias) return false;
  return !settings.has(kAux) || (settings.aux && settings.aux_ld >= product.m);
}

void add_scales(const cublasLtMatmulDescOpaque_t& of, Product& product) {
  std::vector<const float*> places;
  for (int attribute : {CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER})
    if (auto* place = reinterpret_cast<const float*>(value_of(of, attribute))) places.push_back(place);
  if (places.empty()) return;
  for (const float* place : places) product.more_operands.push_back({place, sizeof(float), 1, 1, 1, Use::Read});
  product.scales = [places] {
    double scale = 1;
    for (const float* place : places) scale *= static_cast<double>(*place);
    return scale;
  };
}

bool is_order_known(const cublasLtMatrixLayoutOpaque_t& layout) {
  return value_of(layout, CUBLASLT_MATRIX_LAYOUT_ORDER) <= CUBLASLT_ORDER_ROW;
}

void fill_result(cublasLtMatmulHeuristicResult_t& result) {
  result = {};
  result.state = CUBLAS_STATUS_SUCCESS;
  result.wavesCount = 1;
}

template <typename Object>
Object* found(Object* handle) {
  return Handles<Object>::find(handle);
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = Handles<cublasLtContext>::open(new cublasLtContext);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete Handles<cublasLtContext>::close(handle);
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasLtGetStatusName(cublasStatus_t status) { return cublasGetStatusName(status); }
const char* cublasLtGetStatusString(cublasStatus_t status) { return cublasGetStatusString(status); }
size_t cublasLtGetVersion() { return CUBLAS_VERSION; }
size_t cublasLtGetCudartVersion() { return cublasGetCudartVersion(); }

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t ld) {
  if (!layout) return CUBLAS_STATUS_INVALID_VALUE;
  auto* made = new cublasLtMatrixLayoutOpaque_t;
  made->attributes = {{CUBLASLT_MATRIX_LAYOUT_TYPE, static_cast<uint64_t>(type)},
                      {CUBLASLT_MATRIX_LAYOUT_ROWS, rows},
                      {CUBLASLT_MATRIX_LAYOUT_COLS, columns},
                      {CUBLASLT_MATRIX_LAYOUT_LD, static_cast<uint64_t>(ld)},
                      {CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 1}};
  *layout = Handles<cublasLtMatrixLayoutOpaque_t>::open(made);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete Handles<cublasLtMatrixLayoutOpaque_t>::close(layout);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, const void* bytes,
                                                size_t size) {
  return set_attribute(found(layout), attribute, layout_bytes(attribute), bytes, size);
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, void* bytes, size_t size,
                                                size_t* written) {
  return get_attribute(found(layout), attribute, layout_bytes(attribute), bytes, size, written);
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  if (!description) return CUBLAS_STATUS_INVALID_VALUE;
  auto* made = new cublasLtMatmulDescOpaque_t;
  made->attributes = {{CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, static_cast<uint64_t>(compute)},
                      {CUBLASLT_MATMUL_DESC_SCALE_TYPE, static_cast<uint64_t>(scale)},
                      {CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT}};
  *description = Handles<cublasLtMatmulDescOpaque_t>::open(made);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
  delete Handles<cublasLtMatmulDescOpaque_t>::close(description);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t attribute, const void* bytes,
                                              size_t size) {
  return set_attribute(found(description), attribute, product_bytes(attribute), bytes, size);
}
cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t attribute, void* bytes, size_t size,
                                              size_t* written) {
  return get_attribute(found(description), attribute, product_bytes(attribute), bytes, size, written);
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  if (!preference) return CUBLAS_STATUS_INVALID_VALUE;
  *preference = Handles<cublasLtMatmulPreferenceOpaque_t>::open(new cublasLtMatmulPreferenceOpaque_t);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete Handles<cublasLtMatmulPreferenceOpaque_t>::close(preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void* bytes,
                                                    size_t size) {
  size_t wanted = attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES ? 8 : 4;
  return set_attribute(found(preference), attribute, wanted, bytes, size);
}

// One algorithm, which needs no workspace, for whatever the product can do.
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t description,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[], int* count) {
  if (!found(handle) || !found(description)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!count || wanted < 1 || !results) return CUBLAS_STATUS_INVALID_VALUE;
  *count = 0;
  for (cublasLtMatrixLayout_t layout : {a, b, c, d}) {
    const auto* known = found(layout);
    if (!known) return CUBLAS_STATUS_INVALID_VALUE;
    if (!is_order_known(*known)) return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  fill_result(results[0]);
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t, cublasComputeType_t, cudaDataType_t, cudaDataType_t,
                                        cudaDataType_t, cudaDataType_t, cudaDataType_t, int wanted, int ids[],
                                        int* count) {
  if (wanted < 1 || !ids || !count) return CUBLAS_STATUS_INVALID_VALUE;
  ids[0] = 0, *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t, cublasComputeType_t, cudaDataType_t, cudaDataType_t,
                                      cudaDataType_t, cudaDataType_t, cudaDataType_t, int,
                                      cublasLtMatmulAlgo_t* algorithm) {
  *algorithm = {};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t description,
                                       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                                       cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t*,
                                       cublasLtMatmulHeuristicResult_t* result) {
  int count = 0;
  return cublasLtMatmulAlgoGetHeuristic(handle, description, a, b, c, d, nullptr, 1, result, &count);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t named, const void* alpha, const void* A,
                              cublasLtMatrixLayout_t a_layout, const void* B, cublasLtMatrixLayout_t b_layout,
                              const void* beta, const void* C, cublasLtMatrixLayout_t c_layout, void* D,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t*, void*, size_t,
                              cudaStream_t stream) {
  const auto* description = found(named);
  const auto *a = found(a_layout), *b = found(b_layout), *c = found(c_layout), *d = found(d_layout);
  if (!found(handle) || !description || !a || !b || !c || !d) return CUBLAS_STATUS_NOT_INITIALIZED;
  for (const auto* layout : {a, b, c, d})
    if (!is_order_known(*layout)) return CUBLAS_STATUS_NOT_SUPPORTED;
  auto operation = [&](int attribute) { return static_cast<cublasOperation_t>(value_of(*description, attribute)); };
  Product product;
  product.a = matrix_of(A, *a, operation(CUBLASLT_MATMUL_DESC_TRANSA));
  product.b = matrix_of(B, *b, operation(CUBLASLT_MATMUL_DESC_TRANSB));
  product.c = matrix_of(C ? C : D, *c, CUBLAS_OP_N);
  product.d = matrix_of(D, *d, CUBLAS_OP_N);
  product.m = product.d.rows, product.n = product.d.columns;
  product.k = product.a.operation == CUBLAS_OP_N ? product.a.columns : product.a.rows;
  bool fits = product.k == (product.b.operation == CUBLAS_OP_N ? product.b.rows : product.b.columns) &&
              product.m == (product.a.operation == CUBLAS_OP_N ? product.a.rows : product.a.columns) &&
              product.n == (product.b.operation == CUBLAS_OP_N ? product.b.columns : product.b.rows) &&
              product.c.rows == product.m && product.c.columns == product.n;
  if (!fits) return CUBLAS_STATUS_INVALID_VALUE;
  product.batch_count = static_cast<int>(value_of(*d, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 1));
  product.alpha = alpha, product.beta = beta;
  auto compute = static_cast<cublasComputeType_t>(value_of(*description, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE));
  product.scalar_type = static_cast<cudaDataType>(value_of(*description, CUBLASLT_MATMUL_DESC_SCALE_TYPE));
  product.uses_tensor_cores = uses_tensor_cores(product.a.type, compute, CUBLAS_DEFAULT_MATH);
  EpilogueSettings settings = settings_of(*description, product);
  if (!is_epilogue_usable(settings, product)) return CUBLAS_STATUS_INVALID_VALUE;
  product.more_operands = operands_of(settings, product);
  add_scales(*description, product);
  bool is_double = product.scalar_type == CUDA_R_64F;
  if (settings.kind != CUBLASLT_EPILOGUE_DEFAULT || settings.d_scale)
    product.epilogue = [settings, is_double](void* result, int batch) {
      if (is_double)
        apply(settings, *static_cast<Dense<double>*>(result), batch);
      else
        apply(settings, *static_cast<Dense<float>*>(result), batch);
    };
  cublasContext context;
  context.stream = stream;
  auto mode = value_of(*description, CUBLASLT_MATMUL_DESC_POINTER_MODE);
  if (mode > CUBLASLT_POINTER_MODE_DEVICE) return CUBLAS_STATUS_NOT_SUPPORTED;
  context.pointer_mode = static_cast<cublasPointerMode_t>(mode);
  return queue_product(context, std::move(product), "cublasLtMatmul");
}
}
