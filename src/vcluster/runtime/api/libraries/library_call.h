// A call of a numerical library (cuBLAS, cuSOLVER, cuFFT, ...) as one operation on a stream. It is computed by plain
// loops of our own, in a fixed order, when it runs: the same numbers on every machine, and nothing to install. The
// checkers see what it reads and writes; its time is that of the same work spread evenly over the device.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <vector>

#include "vcluster/runtime/api/libraries/library_work.h"

namespace cuco::vcluster {

enum class Use { Read, Write, Update };
enum class Shape { Full, Upper, Lower };  // Which part of a square matrix: with its diagonal.

// Memory that a call touches: `columns` runs of `rows` elements each, `ld` elements apart.
struct Operand {
  const void* data = nullptr;
  size_t element_bytes = 0;
  long long rows = 0, columns = 1, ld = 0;
  Use use = Use::Read;
  Shape shape = Shape::Full;
};

Operand vector_operand(const void* data, size_t element_bytes, long long count, long long increment, Use use);

struct LibraryCall {
  std::string name;  // As the program calls it: "cublasSgemm".
  LibraryWork work;
  std::vector<Operand> operands;
  // Those whose addresses lie in device memory themselves: asked for when the call runs.
  std::function<std::vector<Operand>()> late_operands = {};
  std::function<void()> compute = {};
};

enum class Await { Nothing, TheEnd };

// Queues the call on the stream. False: the stream is none, or its device is broken.
bool issue_library_call(cudaStream_t stream, LibraryCall call, Await await = Await::Nothing);

// Host memory that a library reads or writes in the program's name while it is called.
void check_host_argument(const void* address, size_t bytes, const std::string& name);

// Whether a pointer is the host's to read at once: it is no address of a device.
bool is_on_host(const void* address);

}  // namespace cuco::vcluster
