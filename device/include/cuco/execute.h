// What the lowering writes into a program in place of CUDA syntax. Only the virtual cluster's builds see this.
//   kernel<<<grid, block>>>(a, b)   becomes   cuco_rt::kernel("kernel", "file.cu:7", kernel).with(grid, block)(a, b)
//   a use of a __shared__ variable  becomes   cuco_rt::shared(variable)
//   and of a __device__ variable    becomes   cuco_rt::device_variable(variable)
//   extern __shared__ T name[]      becomes   cuco_rt::dynamic_shared<T[]>()
//   kernel, other than in a launch  becomes   cuco_rt::registered("kernel", kernel)
//   a library call on the host      becomes   (cuco_rt::HostPlace("file.cu:7"), call)
//   and one that may wait on a GPU  becomes   (cuco_at("file.cu:7"), call)
#pragma once

#include <string.h>

#include <tuple>
#include <type_traits>
#include <utility>

#include "cuco/host_place.h"
#include "cuco/ptx.h"
#include "cuco/ptx_arithmetic.h"
#include "cuco/ptx_matrix.h"
#include "cuda_runtime.h"

extern "C" {
struct cuco_launch_request {
  const char* name;
  const char* place;    // file:line of the launch.
  const void* address;  // Identifies the kernel to cudaFuncSetAttribute and its like; may be null.
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
  int cooperative;
  void (*run)(const void* arguments);  // One thread. The arguments are copied bytewise, as CUDA does.
  const void* arguments;
  size_t argument_bytes;
  const size_t *offsets, *sizes;  // Of each argument among their bytes.
  size_t argument_count;
};
cudaError_t cuco_launch(const cuco_launch_request* request);

// For launches by address: how to run a kernel whose arguments come as an array of pointers.
struct cuco_kernel_entry {
  const char* name;
  const void* address;
  size_t argument_bytes;
  void (*pack)(void** pointers, void* arguments);
  void (*run)(const void* arguments);
};
void cuco_register_kernel(const cuco_kernel_entry* entry);

// Constants of the running block: the distance from a __shared__ variable in the image to the block's copy of it.
extern const __device__ ptrdiff_t cuco_shared_distance;
extern const __device__ void* const cuco_dynamic_shared_base;
// The same for __device__ variables, of which every device has a copy.
extern const __device__ ptrdiff_t cuco_device_distance;
}

namespace cuco_rt {

template <class T>
__device__ __forceinline__ T& shared(T& variable) {
  return *(T*)((char*)&variable + cuco_shared_distance);
}
template <class T>
__device__ __forceinline__ T& device_variable(T& variable) {
  return *(T*)((char*)&variable + cuco_device_distance);
}
template <class Array>
__device__ __forceinline__ auto* dynamic_shared() {
  return (std::remove_extent_t<Array>*)cuco_dynamic_shared_base;
}

template <class Pack, size_t... Indices>
void launch(cuco_launch_request& request, const Pack& pack, std::index_sequence<Indices...>) {
  const size_t offsets[] = {(size_t)((const char*)&std::get<Indices>(pack.values) - (const char*)&pack)..., 0};
  const size_t sizes[] = {sizeof(std::get<Indices>(pack.values))..., 0};
  request.run = Pack::run, request.arguments = &pack, request.argument_bytes = sizeof pack;
  request.offsets = offsets, request.sizes = sizes, request.argument_count = sizeof...(Indices);
  cuco_launch(&request);
}

template <class... Parameters>
struct Arguments {
  void (*function)(Parameters...);
  std::tuple<Parameters...> values;
  // Whatever stands between this and the kernel is inlined: plugins/costs/shared_arguments.h finds the call here.
  __attribute__((flatten)) static void run(const void* bytes) {
    const Arguments* self = (const Arguments*)bytes;
    std::apply(self->function, self->values);
  }
  static void pack(void** pointers, void* bytes) { pack_each(pointers, bytes, std::index_sequence_for<Parameters...>()); }
  template <size_t... Indices>
  static void pack_each(void** pointers, void* bytes, std::index_sequence<Indices...>) {
    Arguments* self = (Arguments*)bytes;
    (memcpy((void*)&std::get<Indices>(self->values), pointers[Indices], sizeof(Parameters)), ...);
    (void)self, (void)pointers;
  }
};

struct Configuration {
  cuco_launch_request request;
  void set(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
    request.grid = grid, request.block = block, request.shared_bytes = shared_bytes, request.stream = stream;
  }
};

template <class... Parameters>
struct Kernel : Configuration {
  void (*function)(Parameters...);
  Kernel& with(dim3 grid, dim3 block, size_t shared_bytes = 0, cudaStream_t stream = 0) {
    set(grid, block, shared_bytes, stream);
    return *this;
  }
  void operator()(Parameters... values) {
    using Pack = Arguments<Parameters...>;
    Pack pack{function, std::tuple<Parameters...>(values...)};
    launch(request, pack, std::index_sequence_for<Parameters...>());
  }
};
template <class... Parameters>
Kernel<Parameters...> kernel(const char* name, const char* place, void (*function)(Parameters...)) {
  Kernel<Parameters...> result{};
  result.request.name = name, result.request.place = place;
  result.request.address = (const void*)function, result.function = function;
  return result;
}

// A launch whose template arguments follow from the call: `Call` is a generic lambda that makes it.
template <class Call>
struct Deduced : Configuration {
  Call call;
  Deduced(const Call& made) : Configuration{}, call(made) {}
  Deduced& with(dim3 grid, dim3 block, size_t shared_bytes = 0, cudaStream_t stream = 0) {
    set(grid, block, shared_bytes, stream);
    return *this;
  }
  template <class... Values>
  void operator()(Values... values) {
    struct Pack {
      Call call;
      std::tuple<Values...> values;
      static void run(const void* bytes) {
        const Pack* self = (const Pack*)bytes;
        std::apply(self->call, self->values);
      }
    };
    Pack pack{call, std::tuple<Values...>(values...)};
    launch(request, pack, std::index_sequence_for<Values...>());
  }
};
template <class Call>
Deduced<Call> deduced(const char* name, const char* place, const Call& call) {
  Deduced<Call> result(call);
  result.request.name = name, result.request.place = place;
  return result;
}

template <class... Parameters>
void (&registered(const char* name, void (&function)(Parameters...)))(Parameters...) {
  // The packed form starts with the function, so that run() finds it.
  struct Entry {
    static void pack(void** pointers, void* bytes) { Arguments<Parameters...>::pack(pointers, bytes); }
  };
  cuco_kernel_entry entry = {name, (const void*)&function, sizeof(Arguments<Parameters...>), Entry::pack,
                             Arguments<Parameters...>::run};
  cuco_register_kernel(&entry);
  return function;
}

// A volatile load may be a spin loop's probe.
template <class T>
__device__ __forceinline__ T volatile_load(const volatile T& place) {
  T value = place;
  uint64_t seen = 0;
  __builtin_memcpy(&seen, &value, sizeof(T) < 8 ? sizeof(T) : 8);
  cuco_poll((const void*)&place, seen, sizeof(T) < 8 ? sizeof(T) : 8);
  return value;
}

}  // namespace cuco_rt
