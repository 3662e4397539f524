// cuFFT: transforms of any length, computed in double precision by the prime factors of the length. The factors of
// unity come from long doubles, so that no machine's sine makes a difference.
#include <cufft.h>

#include <cmath>
#include <map>
#include <memory>

#include "vcluster/runtime/api/libraries/library_call.h"
#include "vcluster/runtime/api/libraries/numbers.h"

using namespace cuco::vcluster;

namespace {

using Complex = std::complex<double>;

// One length and direction.
class Transform {
 public:
  Transform(size_t length, int sign) : length_(length), roots_(length) {
    const long double turn = 2 * 3.14159265358979323846264338327950288L / static_cast<long double>(length);
    for (size_t i = 0; i < length; i++) {
      long double angle = turn * static_cast<long double>(i);
      roots_[i] = Complex(static_cast<double>(std::cos(angle)), sign * static_cast<double>(std::sin(angle)));
    }
    for (size_t rest = length, p = 2; rest > 1; p++)
      for (; rest % p == 0; rest /= p) factors_.push_back(p);
  }
  void run(const Complex* in, size_t stride, Complex* out) const { run(in, stride, out, length_, 0); }

 private:
  // Decimation in time: as many shorter transforms as the factor says, put together.
  void run(const Complex* in, size_t stride, Complex* out, size_t length, size_t level) const {
    if (length == 1) {
      out[0] = in[0];
      return;
    }
    size_t p = factors_[level], part = length / p, step = length_ / length;
    for (size_t r = 0; r < p; r++) run(in + r * stride, stride * p, out + r * part, part, level + 1);
    std::vector<Complex> terms(p);
    for (size_t k = 0; k < part; k++) {
      for (size_t r = 0; r < p; r++) terms[r] = out[r * part + k] * roots_[r * k % length * step];
      for (size_t q = 0; q < p; q++) {
        Complex sum = 0;
        for (size_t r = 0; r < p; r++) sum += terms[r] * roots_[r * q * part % length * step];
        out[q * part + k] = sum;
      }
    }
  }

  size_t length_;
  std::vector<Complex> roots_;
  std::vector<size_t> factors_;
};

// How the elements of one side of a plan lie in memory.
struct Layout {
  std::vector<long long> embed;  // Of each dimension; the first does not matter.
  long long stride = 1, distance = 0;

  long long offset(long long batch, const std::vector<long long>& at) const {
    long long index = 0;
    for (size_t i = 0; i < at.size(); i++) index = index * embed[i] + at[i];
    return batch * distance + index * stride;
  }
};

struct Plan {
  std::vector<long long> n;
  cufftType type = CUFFT_C2C;
  long long batch = 1;
  bool has_layout = false;  // Given by the program.
  Layout in, out;
  cudaStream_t stream = nullptr;
  bool is_made = false;

  bool reads_reals() const { return type == CUFFT_R2C || type == CUFFT_D2Z; }
  bool writes_reals() const { return type == CUFFT_C2R || type == CUFFT_Z2D; }
  long long total() const {
    long long count = 1;
    for (long long each : n) count *= each;
    return count;
  }
};

std::map<cufftHandle, std::shared_ptr<Plan>>& plans() {
  static std::map<cufftHandle, std::shared_ptr<Plan>> all;
  return all;
}
std::shared_ptr<Plan> plan_of(cufftHandle handle) {
  auto found = plans().find(handle);
  return found == plans().end() ? nullptr : found->second;
}

// Elements one after the other; `last` is how many the innermost dimension has room for.
Layout dense_layout(const std::vector<long long>& n, long long last) {
  Layout layout;
  layout.embed = n;
  layout.embed.back() = last;
  layout.distance = 1;
  for (long long each : layout.embed) layout.distance *= each;
  return layout;
}

// Without a layout of the program's own, reals that are transformed in place have the room of their results.
Layout layout_for(const Plan& plan, bool is_input, bool in_place) {
  if (plan.has_layout) return is_input ? plan.in : plan.out;
  long long last = plan.n.back(), half = last / 2 + 1;
  bool is_real = is_input ? plan.reads_reals() : plan.writes_reals();
  bool is_half = is_input ? plan.writes_reals() : plan.reads_reals();
  return dense_layout(plan.n, is_half ? half : is_real && in_place ? 2 * half : last);
}

template <typename Visit>
void for_each_row(const std::vector<long long>& n, const Visit& visit) {
  std::vector<long long> at(n.size(), 0);
  long long rows = 1;
  for (size_t i = 0; i + 1 < n.size(); i++) rows *= n[i];
  for (long long row = 0; row < rows; row++) {
    long long rest = row;
    for (size_t i = n.size() - 1; i-- > 0; rest /= n[i]) at[i] = rest % n[i];
    visit(at, row);
  }
}

void transform_along(std::vector<Complex>& data, const std::vector<long long>& n, size_t dimension, int sign) {
  auto length = static_cast<size_t>(n[dimension]);
  size_t inner = 1, outer = 1;
  for (size_t i = 0; i < n.size(); i++)
    (i < dimension ? outer : inner) *= i == dimension ? 1 : static_cast<size_t>(n[i]);
  Transform transform(length, sign);
  std::vector<Complex> line(length);
  for (size_t o = 0; o < outer; o++)
    for (size_t i = 0; i < inner; i++) {
      Complex* first = data.data() + o * length * inner + i;
      transform.run(first, inner, line.data());
      for (size_t k = 0; k < length; k++) first[k * inner] = line[k];
    }
}

template <typename R>
std::vector<Complex> load(const Plan& plan, const Layout& layout, const void* data, long long batch) {
  std::vector<Complex> values(static_cast<size_t>(plan.total()));
  long long last = plan.n.back(), stored = plan.writes_reals() ? last / 2 + 1 : last;
  for_each_row(plan.n, [&](std::vector<long long> at, long long row) {
    for (long long i = 0; i < stored; i++) {
      at.back() = i;
      long long from = layout.offset(batch, at);
      Complex value = plan.reads_reals() ? Complex(static_cast<double>(static_cast<const R*>(data)[from]), 0)
                                         : Complex(static_cast<const std::complex<R>*>(data)[from]);
      values[static_cast<size_t>(row * last + i)] = value;
    }
  });
  if (!plan.writes_reals()) return values;
  // The other half of a real signal's spectrum is the conjugate of the mirrored element.
  for_each_row(plan.n, [&](const std::vector<long long>& at, long long row) {
    long long mirror = 0;
    for (size_t i = 0; i + 1 < plan.n.size(); i++) mirror = mirror * plan.n[i] + (plan.n[i] - at[i]) % plan.n[i];
    for (long long i = stored; i < last; i++)
      values[static_cast<size_t>(row * last + i)] = std::conj(values[static_cast<size_t>(mirror * last + last - i)]);
  });
  return values;
}

template <typename R>
void store(const Plan& plan, const Layout& layout, void* data, long long batch, const std::vector<Complex>& values) {
  long long last = plan.n.back(), stored = plan.reads_reals() ? last / 2 + 1 : last;
  for_each_row(plan.n, [&](std::vector<long long> at, long long row) {
    for (long long i = 0; i < stored; i++) {
      at.back() = i;
      Complex value = values[static_cast<size_t>(row * last + i)];
      long long to = layout.offset(batch, at);
      if (plan.writes_reals())
        static_cast<R*>(data)[to] = static_cast<R>(value.real());
      else
        static_cast<std::complex<R>*>(data)[to] = std::complex<R>(value);
    }
  });
}

// The innermost rows of all batches.
void add_operands(std::vector<Operand>& operands, const Plan& plan, const Layout& layout, const void* data,
                  size_t bytes, long long stored, Use use) {
  for (long long batch = 0; batch < plan.batch; batch++)
    for_each_row(plan.n, [&](const std::vector<long long>& at, long long) {
      const char* begin = static_cast<const char*>(data) + layout.offset(batch, at) * static_cast<long long>(bytes);
      operands.push_back(vector_operand(begin, bytes, stored, layout.stride, use));
    });
}

template <typename R>
cufftResult execute(cufftHandle handle, const char* name, cufftType type, const void* in, void* out, int sign) {
  std::shared_ptr<Plan> plan = plan_of(handle);
  if (!plan || !plan->is_made) return CUFFT_INVALID_PLAN;
  if (plan->type != type) return CUFFT_INVALID_TYPE;
  if (!in || !out || (sign != CUFFT_FORWARD && sign != CUFFT_INVERSE)) return CUFFT_INVALID_VALUE;
  Layout from = layout_for(*plan, true, in == out), to = layout_for(*plan, false, in == out);
  size_t in_bytes = plan->reads_reals() ? sizeof(R) : 2 * sizeof(R);
  size_t out_bytes = plan->writes_reals() ? sizeof(R) : 2 * sizeof(R);
  long long last = plan->n.back(), half = last / 2 + 1;
  LibraryCall call;
  call.name = name;
  double total = static_cast<double>(plan->total()), batch = static_cast<double>(plan->batch);
  call.work = library_work::fourier(total, batch, total * batch * static_cast<double>(in_bytes + out_bytes),
                                    sizeof(R) == 8 ? Unit::Fp64 : Unit::Fp32);
  add_operands(call.operands, *plan, from, in, in_bytes, plan->writes_reals() ? half : last, Use::Read);
  add_operands(call.operands, *plan, to, out, out_bytes, plan->reads_reals() ? half : last, Use::Write);
  call.compute = [=, made = *plan] {
    std::vector<std::vector<Complex>> all;  // All is read before anything is written: in place, batches may overlap.
    for (long long i = 0; i < made.batch; i++) all.push_back(load<R>(made, from, in, i));
    for (long long i = 0; i < made.batch; i++) {
      for (size_t d = 0; d < made.n.size(); d++) transform_along(all[static_cast<size_t>(i)], made.n, d, sign);
      store<R>(made, to, out, i, all[static_cast<size_t>(i)]);
    }
  };
  return issue_library_call(plan->stream, std::move(call)) ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

bool is_known(cufftType type) {
  return type == CUFFT_C2C || type == CUFFT_R2C || type == CUFFT_C2R || type == CUFFT_Z2Z || type == CUFFT_D2Z ||
         type == CUFFT_Z2D;
}

cufftResult make(cufftHandle handle, std::vector<long long> n, cufftType type, long long batch, size_t* work) {
  std::shared_ptr<Plan> plan = plan_of(handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  if (!is_known(type)) return CUFFT_INVALID_TYPE;
  for (long long each : n)
    if (each < 1) return CUFFT_INVALID_SIZE;
  if (n.empty() || n.size() > 3 || batch < 1) return CUFFT_INVALID_SIZE;
  plan->n = std::move(n), plan->type = type, plan->batch = batch, plan->is_made = true;
  if (work) *work = 0;
  return CUFFT_SUCCESS;
}

}  // namespace

extern "C" {

cufftResult cufftCreate(cufftHandle* handle) {
  static cufftHandle next = 0;
  if (!handle) return CUFFT_INVALID_VALUE;
  *handle = ++next;
  plans()[*handle] = std::make_shared<Plan>();
  return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle plan) { return plans().erase(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t* work) {
  return make(plan, {nx}, type, batch, work);
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t* work) {
  return make(plan, {nx, ny}, type, 1, work);
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t* work) {
  return make(plan, {nx, ny, nz}, type, 1, work);
}
cufftResult cufftMakePlanMany(cufftHandle handle, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                              int ostride, int odist, cufftType type, int batch, size_t* work) {
  if (rank < 1 || rank > 3 || !n) return CUFFT_INVALID_SIZE;
  cufftResult made = make(handle, {n, n + rank}, type, batch, work);
  if (made != CUFFT_SUCCESS || !inembed || !onembed) return made;
  std::shared_ptr<Plan> plan = plan_of(handle);
  plan->has_layout = true;
  plan->in = {{inembed, inembed + rank}, istride, idist};
  plan->out = {{onembed, onembed + rank}, ostride, odist};
  return CUFFT_SUCCESS;
}
cufftResult cufftPlan1d(cufftHandle* plan, int nx, cufftType type, int batch) {
  cufftResult made = cufftCreate(plan);
  return made == CUFFT_SUCCESS ? cufftMakePlan1d(*plan, nx, type, batch, nullptr) : made;
}
cufftResult cufftPlan2d(cufftHandle* plan, int nx, int ny, cufftType type) {
  cufftResult made = cufftCreate(plan);
  return made == CUFFT_SUCCESS ? cufftMakePlan2d(*plan, nx, ny, type, nullptr) : made;
}
cufftResult cufftPlan3d(cufftHandle* plan, int nx, int ny, int nz, cufftType type) {
  cufftResult made = cufftCreate(plan);
  return made == CUFFT_SUCCESS ? cufftMakePlan3d(*plan, nx, ny, nz, type, nullptr) : made;
}
cufftResult cufftPlanMany(cufftHandle* plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                          int ostride, int odist, cufftType type, int batch) {
  cufftResult made = cufftCreate(plan);
  if (made != CUFFT_SUCCESS) return made;
  return cufftMakePlanMany(*plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, nullptr);
}
cufftResult cufftGetSize(cufftHandle plan, size_t* work) {
  if (!plan_of(plan)) return CUFFT_INVALID_PLAN;
  *work = 0;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetAutoAllocation(cufftHandle plan, int) { return plan_of(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }
cufftResult cufftSetWorkArea(cufftHandle plan, void*) { return plan_of(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }
cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  std::shared_ptr<Plan> plan = plan_of(handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  plan->stream = stream;
  return CUFFT_SUCCESS;
}
cufftResult cufftGetVersion(int* version) {
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out, int direction) {
  return execute<float>(plan, "cufftExecC2C", CUFFT_C2C, in, out, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* in, cufftComplex* out) {
  return execute<float>(plan, "cufftExecR2C", CUFFT_R2C, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* in, cufftReal* out) {
  return execute<float>(plan, "cufftExecC2R", CUFFT_C2R, in, out, CUFFT_INVERSE);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out, int direction) {
  return execute<double>(plan, "cufftExecZ2Z", CUFFT_Z2Z, in, out, direction);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* in, cufftDoubleComplex* out) {
  return execute<double>(plan, "cufftExecD2Z", CUFFT_D2Z, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleReal* out) {
  return execute<double>(plan, "cufftExecZ2D", CUFFT_Z2D, in, out, CUFFT_INVERSE);
}
}
