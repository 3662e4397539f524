// What the files of cuBLAS share: the handle, scalars that lie on either side, and how a call is queued.
#pragma once

#include <cublas_v2.h>

#include <optional>

#include "vcluster/runtime/api/libraries/dense.h"
#include "vcluster/runtime/api/libraries/library_call.h"
#include "vcluster/runtime/engine/handles.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
  cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
  int sm_count_target = 0;
};

namespace cuco::vcluster {

inline cublasContext* context_of(cublasHandle_t handle) { return Handles<cublasContext>::find(handle); }

// A scalar that a call reads: on the host when it is made, on the device when it runs.
template <typename T>
class Scalar {
 public:
  Scalar(const cublasContext& handle, const void* place, const char* name) : place_(static_cast<const T*>(place)) {
    if (handle.pointer_mode == CUBLAS_POINTER_MODE_DEVICE) return;
    check_host_argument(place, sizeof(T), name);
    value_ = *place_;
  }
  T get() const { return value_ ? *value_ : *place_; }
  // A host's zero: what it multiplies is not read.
  bool is_known_zero() const { return value_ && *value_ == T(0); }
  void add_operand(std::vector<Operand>& operands) const {
    if (!value_) operands.push_back({place_, sizeof(T), 1, 1, 1, Use::Read});
  }

 private:
  const T* place_;
  std::optional<T> value_ = std::nullopt;
};

inline bool is_upper(cublasFillMode_t fill) { return fill == CUBLAS_FILL_MODE_UPPER; }
inline Shape shape_of(cublasFillMode_t fill) { return is_upper(fill) ? Shape::Upper : Shape::Lower; }

template <typename T>
Operand matrix_operand(const T* data, long long rows, long long columns, long long ld, Use use,
                       Shape shape = Shape::Full) {
  return {data, sizeof(T), rows, columns, ld, use, shape};
}
template <typename T>
Operand vector_of(const T* data, long long count, long long increment, Use use) {
  return vector_operand(data, sizeof(T), count, increment, use);
}

// Elements of a vector with an increment; with a negative one it begins at its far end.
template <typename T>
struct Strided {
  Strided(T* data, long long count, long long step)
      : first(step < 0 ? data - (count - 1) * step : data), increment(step) {}
  T& operator[](long long index) const { return first[index * increment]; }

  T* first;
  long long increment;
};

// The API's pointers as those of the numbers that are computed with.
template <typename Api>
auto* numbers(Api* data) {
  using Number = typename NumberOf<std::remove_const_t<Api>>::type;
  return reinterpret_cast<std::conditional_t<std::is_const_v<Api>, const Number, Number>*>(data);
}
template <typename Api>
auto* numbers(Api* const* array) {
  using Number = typename NumberOf<std::remove_const_t<Api>>::type;
  return reinterpret_cast<std::conditional_t<std::is_const_v<Api>, const Number, Number>* const*>(array);
}

inline cublasStatus_t queue(const cublasContext& handle, LibraryCall call, Await await = Await::Nothing) {
  bool is_queued = issue_library_call(handle.stream, std::move(call), await);
  return is_queued ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace cuco::vcluster
