// Where an algorithm runs: an execution policy, or the side that its first iterator speaks of.
#pragma once

#include "cuco/parallel.h"
#include "thrust/detail/iterators.h"

namespace thrust {

template <bool OnDevice>
struct execution_policy {};

struct host_policy : execution_policy<false> {};
struct device_policy : execution_policy<true> {
  cudaStream_t stream = nullptr;
  bool waits = true;
  device_policy on(cudaStream_t other) const {
    device_policy changed = *this;
    changed.stream = other;
    return changed;
  }
  template <class Allocator>
  device_policy operator()(Allocator&&) const { return *this; }
};
struct nosync_policy : device_policy {
  nosync_policy() { waits = false; }
};

inline const host_policy host, seq;
inline const device_policy device;
namespace cuda {
inline const device_policy par;
inline const nosync_policy par_nosync;
}  // namespace cuda
namespace system {
namespace cuda = ::thrust::cuda;
}
namespace cuda_cub {
inline const device_policy par;
inline const nosync_policy par_nosync;
}  // namespace cuda_cub

template <class T>
constexpr bool is_policy = std::is_base_of_v<execution_policy<true>, T> || std::is_base_of_v<execution_policy<false>, T>;
template <class T>
constexpr bool is_device_policy = std::is_base_of_v<execution_policy<true>, T>;

// The policy for arguments without one: that of the first iterator which speaks of a side.
template <class T, class = void>
struct argument_system {
  using type = any_system_tag;
};
template <class T>
struct argument_system<T, std::void_t<typename std::iterator_traits<T>::iterator_category>> : iterator_system<T> {};
template <class... Arguments>
struct common_system {
  using type = any_system_tag;
};
template <class First, class... Rest>
struct common_system<First, Rest...> {
  using type = either_system<typename argument_system<std::decay_t<First>>::type, typename common_system<Rest...>::type>;
};
template <class... Arguments>
auto usual_policy(const Arguments&...) {
  if constexpr (std::is_same_v<typename common_system<Arguments...>::type, host_system_tag>)
    return host_policy();
  else
    return device_policy();
}

// Runs body(0) to body(count - 1), in any order.
template <class Policy, class Body>
void run_elements(const Policy& policy, std::ptrdiff_t count, Body body) {
  if constexpr (is_device_policy<Policy>) {
    cuco_parallel::for_each_index(policy.stream, count > 0 ? (size_t)count : 0, body);
    if (policy.waits) cudaStreamSynchronize(policy.stream);
  } else {
    for (std::ptrdiff_t i = 0; i < count; i++) body((size_t)i);
  }
}

// Runs body() in order. `bytes` and `operations` are what the whole of it moves and computes.
template <class Policy, class Body>
void run_serial(const Policy& policy, size_t bytes, size_t operations, Body body) {
  if constexpr (is_device_policy<Policy>) {
    cuco_parallel::run_in_order(policy.stream, bytes, operations, body);
    if (policy.waits) cudaStreamSynchronize(policy.stream);
  } else {
    body();
  }
}

// Memory for an algorithm, on the side where it runs.
template <class T, class Policy>
class temporary {
 public:
  temporary(const Policy& policy, size_t count) : policy_(policy) {
    if constexpr (is_device_policy<Policy>)
      cudaMallocAsync((void**)&data_, (count > 0 ? count : 1) * sizeof(T), policy.stream);
    else
      data_ = (T*)::operator new((count > 0 ? count : 1) * sizeof(T));
  }
  ~temporary() {
    if constexpr (is_device_policy<Policy>)
      cudaFreeAsync((void*)data_, policy_.stream);
    else
      ::operator delete((void*)data_);
  }
  temporary(const temporary&) = delete;
  T* data() const { return data_; }
  // The first element, brought to the host.
  T get() const {
    if constexpr (is_device_policy<Policy>) {
      alignas(T) char bytes[sizeof(T)];
      cudaMemcpyAsync(bytes, (const void*)data_, sizeof(T), cudaMemcpyDeviceToHost, policy_.stream);
      cudaStreamSynchronize(policy_.stream);
      return *(T*)bytes;
    } else {
      return *data_;
    }
  }

 private:
  const Policy policy_;
  T* data_ = nullptr;
};

}  // namespace thrust
