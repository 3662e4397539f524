// cuRAND's host API. A generator is many streams of numbers, which results take turns at: as many as cuRAND has, in its
// order, so that results are the same. Streams keep their places from call to call.
#include <curand.h>
#include <curand_kernel.h>

#include <memory>

#include "vcluster/runtime/api/libraries/library_call.h"
#include "vcluster/runtime/engine/handles.h"

using namespace cuco::vcluster;

namespace {

// The streams of one seed. `lanes` results in a row come from the same one.
class Streams {
 public:
  virtual ~Streams() = default;
  virtual void skip(unsigned long long results) = 0;
  virtual void integers(unsigned* out, size_t count) = 0;
  virtual void uniform(float* out, size_t count) = 0;
  virtual void uniform(double* out, size_t count) = 0;
  virtual void normal(float* out, size_t pairs) = 0;
  virtual void normal(double* out, size_t pairs) = 0;
};

template <typename State>
class StreamsOf final : public Streams {
 public:
  StreamsOf(unsigned long long seed, size_t stream_count, size_t lanes)
      : seed_(seed), stream_count_(stream_count), lanes_(lanes) {}

  void skip(unsigned long long results) override {
    unsigned long long visits = results / lanes_, rounds = visits / stream_count_;
    before_ = rounds * lanes_;
    next_ = static_cast<size_t>(visits % stream_count_);
    states_.clear();
    ahead_ = next_;
    for (size_t i = 0; i < results % lanes_; i++) curand(&take(lanes_));
  }
  void integers(unsigned* out, size_t count) override {
    for (size_t i = 0; i < count; i++) out[i] = curand(&take(lanes_));
  }
  void uniform(float* out, size_t count) override {
    for (size_t i = 0; i < count; i++) out[i] = curand_uniform(&take(lanes_));
  }
  void uniform(double* out, size_t count) override {
    for (size_t i = 0; i < count; i++) out[i] = double_of(take(lanes_));
  }
  void normal(float* out, size_t pairs) override {
    for (size_t i = 0; i < pairs; i++) {
      float2 both = curand_normal2(&take(std::max<size_t>(1, lanes_ / 2)));
      out[2 * i] = both.x, out[2 * i + 1] = both.y;
    }
  }
  void normal(double* out, size_t pairs) override {
    for (size_t i = 0; i < pairs; i++) {
      double2 both = curand_normal2_double(&take(std::max<size_t>(1, lanes_ / 2)));
      out[2 * i] = both.x, out[2 * i + 1] = both.y;
    }
  }

 private:
  // Of Philox, the host API makes doubles of two numbers each.
  static double double_of(State& state) {
    if constexpr (std::is_same_v<State, curandStatePhilox4_32_10>) {
      unsigned x = curand(&state);
      return cuco_uniform_double_of(x, curand(&state));
    } else {
      return curand_uniform_double(&state);
    }
  }
  // The stream whose turn it is; after `turns` calls of a kind it is the next one's.
  State& take(size_t turns) {
    while (states_.size() <= next_) {
      State state;
      unsigned long long stream = states_.size();
      curand_init(seed_, stream, before_ + (stream < ahead_ ? lanes_ : 0), &state);
      states_.push_back(state);
    }
    State& state = states_[next_];
    if (++turn_ >= turns) turn_ = 0, next_ = (next_ + 1) % stream_count_;
    return state;
  }

  unsigned long long seed_;
  size_t stream_count_, lanes_;
  unsigned long long before_ = 0;  // Numbers of every stream that were skipped,
  size_t ahead_ = 0;               // and of so many streams a turn more.
  size_t next_ = 0, turn_ = 0;
  std::vector<State> states_;
};

}  // namespace

struct curandGenerator_st {
  curandRngType_t type = CURAND_RNG_PSEUDO_XORWOW;
  curandOrdering_t ordering = CURAND_ORDERING_PSEUDO_DEFAULT;
  bool is_on_host = false;
  cudaStream_t stream = nullptr;
  unsigned long long seed = 0, offset = 0;
  std::shared_ptr<Streams> streams = nullptr;  // Null until the first numbers are drawn.
};

namespace {

// How many streams the generators have: cuRAND's documentation of their orderings.
std::shared_ptr<Streams> streams_of(const curandGenerator_st& generator) {
  bool is_legacy = generator.ordering == CURAND_ORDERING_PSEUDO_LEGACY;
  switch (generator.type) {
    case CURAND_RNG_PSEUDO_MRG32K3A:
      return std::make_shared<StreamsOf<curandStateMRG32k3a>>(generator.seed, is_legacy ? 4096 : 81920, 1);
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
      return std::make_shared<StreamsOf<curandStatePhilox4_32_10>>(generator.seed, 65536, 4);
    default:
      return std::make_shared<StreamsOf<curandStateXORWOW>>(generator.seed, 4096, 1);
  }
}

curandGenerator_st* generator_of(curandGenerator_t handle) { return Handles<curandGenerator_st>::find(handle); }

curandStatus_t create(curandGenerator_t* out, curandRngType_t type, bool is_on_host) {
  if (type == CURAND_RNG_PSEUDO_DEFAULT) type = CURAND_RNG_PSEUDO_XORWOW;
  bool is_known =
      type == CURAND_RNG_PSEUDO_XORWOW || type == CURAND_RNG_PSEUDO_MRG32K3A || type == CURAND_RNG_PSEUDO_PHILOX4_32_10;
  if (!out || !is_known) return CURAND_STATUS_TYPE_ERROR;
  auto* made = new curandGenerator_st;
  made->type = type, made->is_on_host = is_on_host;
  *out = Handles<curandGenerator_st>::open(made);
  return CURAND_STATUS_SUCCESS;
}

template <typename T>
curandStatus_t generate(curandGenerator_t handle, const char* name, T* out, size_t count,
                        std::function<void(Streams&, T*, size_t)> draw) {
  curandGenerator_st* generator = generator_of(handle);
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  if (!generator->streams) {
    generator->streams = streams_of(*generator);
    generator->streams->skip(generator->offset);
  }
  std::shared_ptr<Streams> streams = generator->streams;
  if (generator->is_on_host) {
    check_host_argument(out, count * sizeof(T), name);
    draw(*streams, out, count);
    return CURAND_STATUS_SUCCESS;
  }
  LibraryWork work = library_work::random_numbers(static_cast<double>(count), static_cast<double>(count * sizeof(T)));
  LibraryCall call = {name, work, {vector_operand(out, sizeof(T), static_cast<long long>(count), 1, Use::Write)}};
  call.compute = [=] { draw(*streams, out, count); };
  return issue_library_call(generator->stream, std::move(call)) ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

template <typename T>
curandStatus_t generate_normal(curandGenerator_t handle, const char* name, T* out, size_t count,
                               std::function<T(T)> shape) {
  if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return generate<T>(handle, name, out, count, [shape](Streams& streams, T* to, size_t numbers) {
    streams.normal(to, numbers / 2);
    for (size_t i = 0; i < numbers; i++) to[i] = shape(to[i]);
  });
}

// By inversion of the distribution; means above 700 by a normal approximation. Not cuRAND's own numbers.
unsigned poisson_of(Streams& streams, double lambda) {
  if (lambda > 700) {
    double drawn[2];
    streams.normal(drawn, 1);
    return static_cast<unsigned>(std::max(0.0, lambda + std::sqrt(lambda) * drawn[0] + 0.5));
  }
  double uniform = 0;
  streams.uniform(&uniform, 1);
  double probability = std::exp(-lambda), sum = probability;
  unsigned count = 0;
  while (sum < uniform && count < 100000) {
    count++;
    probability *= lambda / count;
    sum += probability;
  }
  return count;
}

}  // namespace

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, true);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  delete Handles<curandGenerator_st>::close(generator);
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetVersion(int* version) {
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t handle, cudaStream_t stream) {
  curandGenerator_st* generator = generator_of(handle);
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t handle, unsigned long long seed) {
  curandGenerator_st* generator = generator_of(handle);
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  generator->seed = seed, generator->streams = nullptr;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t handle, unsigned long long offset) {
  curandGenerator_st* generator = generator_of(handle);
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  generator->offset = offset, generator->streams = nullptr;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t handle, curandOrdering_t order) {
  curandGenerator_st* generator = generator_of(handle);
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  if (order != CURAND_ORDERING_PSEUDO_BEST && order != CURAND_ORDERING_PSEUDO_DEFAULT &&
      order != CURAND_ORDERING_PSEUDO_LEGACY)
    return CURAND_STATUS_OUT_OF_RANGE;
  generator->ordering = order, generator->streams = nullptr;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t handle) {
  return generator_of(handle) ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}
curandStatus_t curandGenerate(curandGenerator_t handle, unsigned* out, size_t count) {
  return generate<unsigned>(handle, "curandGenerate", out, count,
                            [](Streams& streams, unsigned* to, size_t numbers) { streams.integers(to, numbers); });
}
curandStatus_t curandGenerateUniform(curandGenerator_t handle, float* out, size_t count) {
  return generate<float>(handle, "curandGenerateUniform", out, count,
                         [](Streams& streams, float* to, size_t numbers) { streams.uniform(to, numbers); });
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t handle, double* out, size_t count) {
  return generate<double>(handle, "curandGenerateUniformDouble", out, count,
                          [](Streams& streams, double* to, size_t numbers) { streams.uniform(to, numbers); });
}
curandStatus_t curandGenerateNormal(curandGenerator_t handle, float* out, size_t count, float mean, float stddev) {
  return generate_normal<float>(handle, "curandGenerateNormal", out, count,
                                [=](float value) { return mean + stddev * value; });
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t handle, double* out, size_t count, double mean,
                                          double stddev) {
  return generate_normal<double>(handle, "curandGenerateNormalDouble", out, count,
                                 [=](double value) { return mean + stddev * value; });
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t handle, float* out, size_t count, float mean, float stddev) {
  return generate_normal<float>(handle, "curandGenerateLogNormal", out, count,
                                [=](float value) { return std::exp(mean + stddev * value); });
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t handle, double* out, size_t count, double mean,
                                             double stddev) {
  return generate_normal<double>(handle, "curandGenerateLogNormalDouble", out, count,
                                 [=](double value) { return std::exp(mean + stddev * value); });
}
curandStatus_t curandGeneratePoisson(curandGenerator_t handle, unsigned* out, size_t count, double lambda) {
  if (!(lambda > 0)) return CURAND_STATUS_OUT_OF_RANGE;
  return generate<unsigned>(handle, "curandGeneratePoisson", out, count,
                            [lambda](Streams& streams, unsigned* to, size_t numbers) {
                              for (size_t i = 0; i < numbers; i++) to[i] = poisson_of(streams, lambda);
                            });
}
}
